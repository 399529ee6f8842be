#include "dragoman/convert/ctranslate2_file.h"

#include "convert/ctranslate2_bytes.h"
#include "dragoman/convert/marian_weights.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "support/catch.h"
#include "support/shared.h"
#include "support/temporary_directory.h"

namespace ctranslate2_file_test {

using namespace dragoman;

namespace {

CTranslate2File small_file() {
  CTranslate2File file;
  file.variables["b/one"] = {
      .shape = {2}, .type = CTranslate2Type::f32, .bytes = std::string(8, '\1')};
  file.variables["a/two"] = {
      .shape = {2}, .type = CTranslate2Type::f32, .bytes = std::string(8, '\1')};
  file.variables["c/scalar"] = {
      .shape = {}, .type = CTranslate2Type::i8, .bytes = std::string(1, '\1')};
  file.variables["d/scalar"] = {
      .shape = {}, .type = CTranslate2Type::i8, .bytes = std::string(1, '\1')};
  return file;
}

}  // namespace

TEST_CASE("a model.bin of CTranslate2 is read and written byte for byte", "[golden]") {
  const auto path = test::cases("golden/interop_tiny/ctranslate2/model.bin");
  const auto file = read_ctranslate2_file(path);
  const auto dims = test::read_json(test::cases("golden/interop_tiny/expected.json")).at("dims");
  const auto has_layer = [&file](const std::string& side, std::int64_t layer) {
    return file.find(concat(side, "/layer_", layer, "/ffn/linear_0/weight")) != nullptr;
  };
  const std::int64_t encoder_layers = dims.at("enc"), decoder_layers = dims.at("dec");
  for (std::int64_t i = 0; i <= encoder_layers; ++i)
    CHECK(has_layer("encoder", i) == (i < encoder_layers));
  for (std::int64_t i = 0; i <= decoder_layers; ++i)
    CHECK(has_layer("decoder", i) == (i < decoder_layers));
  CHECK(file.find("decoder/embeddings/weight")->shape ==
        std::vector<std::uint32_t>{dims.at("vocab"), dims.at("d_model")});
  CHECK(file.find("encoder/layer_0/ffn/linear_0/weight")->shape ==
        std::vector<std::uint32_t>{dims.at("ffn"), dims.at("d_model")});
  // 12 of an encoder layer, 20 of a decoder layer, 22 of the whole model; some are others' aliases.
  CHECK(std::ssize(file.variables) + std::ssize(file.aliases) ==
        12 * encoder_layers + 20 * decoder_layers + 22);
  const MarianWeights marian(test::cases("golden/interop_tiny/model.npz"));
  CHECK((file.find("decoder/projection/weight") == file.find("decoder/embeddings/weight")) ==
        !marian.has("decoder_ff_logit_out_Wt"));
  for (const char* side : {"encoder", "decoder"}) {
    const auto* heads = file.find(concat(side, "/num_heads"));
    REQUIRE(heads != nullptr);
    CHECK(heads->shape.empty());
    CHECK(static_cast<std::int64_t>(heads->bytes.view().front()) == dims.at("heads"));
  }
  CHECK(test::serialised(file) == read_file(path));
}

TEST_CASE("equal arrays are stored under the first name and scalars are not shared", "[unit]") {
  auto file = small_file();
  file.share_equal_variables();
  CHECK(file.variables.size() == 3);
  CHECK(file.aliases == std::map<std::string, std::string>{{"b/one", "a/two"}});
  CHECK(file.find("b/one") == file.find("a/two"));
  CHECK(file.find("e") == nullptr);
}

TEST_CASE("a model.bin truncated anywhere or structurally damaged is refused by name", "[unit]") {
  const test::TemporaryDirectory folder;
  auto small = small_file();
  small.share_equal_variables();
  const auto whole = test::serialised(small);
  const auto refused = [&](const std::string& bytes) {
    write_file_atomically(folder / "model.bin", bytes);
    try {
      read_ctranslate2_file(folder / "model.bin");
    } catch (const FormatError& error) {
      return std::string(error.what()).find("model.bin: ") != std::string::npos;
    }
    return false;
  };
  for (std::size_t size = 0; size < whole.size(); ++size) {
    CAPTURE(size);
    CHECK(refused(whole.substr(0, size)));
  }
  CHECK(refused(whole + "x"));
  auto other_version = whole;
  other_version[0] = 7;
  CHECK(refused(other_version));
  auto larger_shape = whole;
  larger_shape[whole.find("a/two") + 7] = 3;
  CHECK(refused(larger_shape));
  auto twice = whole;
  twice[whole.find("d/scalar")] = 'c';
  CHECK(refused(twice));
  CHECK_FALSE(refused(whole));
  for (const auto& aliases : {std::map<std::string, std::string>{{"x", "y"}, {"y", "x"}},
                              {{"x", "x"}},
                              {{"b/one", "a/two"}, {"x", "b/one"}},
                              {{"a/two", "c"}}}) {
    auto file = small;
    file.aliases = aliases;
    CAPTURE(nlohmann::json(aliases).dump());
    CHECK(refused(test::serialised(file)));
  }
}

}  // namespace ctranslate2_file_test
