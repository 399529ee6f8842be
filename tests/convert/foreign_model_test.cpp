#include "dragoman/convert/foreign_model.h"

#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "support/catch.h"
#include "support/temporary_directory.h"

#include <string>

namespace foreign_model_test {

using namespace dragoman;

TEST_CASE("layers that cannot be in the file of the weights are refused before they are made",
          "[unit]") {
  const test::TemporaryDirectory folder;
  const auto of_layers = [&](std::int64_t layers, std::size_t bytes) {
    ModelOptions model;
    model.d_model = model.d_ff = 128;
    model.num_heads = 4;
    model.encoder_layers = layers;
    model.decoder_layers = 1;
    write_file_atomically(folder / "weights", std::string(bytes, '0'));
    expect_possible(model, "config.json", folder / "weights");
    expect_possible(model, "config.json", folder.path());
  };
  CHECK_NOTHROW(of_layers(1, 1000));  // too small to do harm
  CHECK_NOTHROW(of_layers(100, 2'000'000));
  CHECK_THROWS_WITH(of_layers(100, 200'000),
                    test::contains("config.json: describes layers with ") &&
                        test::contains("weights has only 200000 bytes"));
}

}  // namespace foreign_model_test
