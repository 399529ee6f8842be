#include "support/catch.h"
#include "support/program.h"

#include <string>

namespace demo_test {

TEST_CASE("the demo says that a result is below what is expected, and ends with 1", "[e2e]") {
  const test::TemporaryDirectory folder;
  const auto source = test::source_folder();
  const auto run_dir = (folder / "demo").string();
  const auto demo = [&] {
    return test::run(
        {(source / "data/demo/demo.sh").string()},
        {.variables = {{"DRAGOMAN", test::program()},
                       {"DEMO_RUN", run_dir},
                       {"DEMO_SETTINGS",
                        "train.max_steps=2 model.d_model=16 model.d_ff=32 model.num_heads=2 "
                        "model.encoder_layers=1 model.decoder_layers=1 search.max_length=8 "
                        "train.validate_translations=false"}}});
  };
  const auto first = demo();
  CAPTURE(first.out, first.err);
  CHECK(first.exit_code == 1);
  CHECK_THAT(first.out, test::contains("BELOW what is expected (BLEU 92 or more)"));
  CHECK_THAT(first.out, test::contains("of 700 translations equal the reference"));
  CHECK_THAT(first.err, test::contains("did not reach its result"));

  const auto second = demo();
  CHECK(second.exit_code == 1);
  CHECK_THAT(second.out, test::contains("is finished and reused"));
}

}  // namespace demo_test
