#include "dragoman/convert/required_options.h"

#include "support/catch.h"
#include "support/refusal.h"

#include <string>

namespace required_options_test {

using namespace dragoman;

namespace {

std::string refusal_of(const ModelOptions& model) {
  RequiredOptions required("Marian's format");
  required.expect_usual_layers(model);
  return test::refusal([&] { required.check(); });
}

}  // namespace

TEST_CASE("of a pruned model the run from before the pruning is asked for", "[unit]") {
  ModelOptions model;
  model.cross_attention.layers = {LayerAttention{}};
  model.cross_attention.layers.front().pruned_heads = {1};
  CHECK(refusal_of(model) ==
        "Marian's format needs model.cross_attention: attention without pruned heads; give the run "
        "from before the pruning");
  model.residual = false;
  CHECK_THAT(refusal_of(model), test::contains("model.residual: true, ") &&
                                    test::contains("; train with these settings"));
}

}  // namespace required_options_test
