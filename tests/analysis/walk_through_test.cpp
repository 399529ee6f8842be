#include "dragoman/analysis/walk_through.h"

#include "analysis/small_run.h"
#include "dragoman/core/error.h"
#include "support/close.h"

namespace walk_through_test {

using namespace dragoman;

namespace {

const Step& step_of(const WalkThrough& walk, const std::string& name) {
  for (const auto& step : walk.steps)
    if (step.name == name) return step;
  throw std::runtime_error("no step " + name);
}

}  // namespace

TEST_CASE("a walk through any attention ends at the weights of the model's own pass",
          "[property]") {
  for (const auto norm : {NormPosition::post, NormPosition::pre}) {
    const auto run = test::small_run(norm);
    for (const auto kind : {AttentionPart::encoder, AttentionPart::decoder, AttentionPart::cross})
      for (const std::int64_t layer : {0, 1})
        for (const std::int64_t head : {0, 1}) {
          CAPTURE(name_of(kind), layer, head);
          const auto walk = walk_through(run, {"a b d", "e f g h"}, {kind, layer, head});
          CHECK(walk.difference < 1e-6);
          const auto& weights = step_of(walk, "weights");
          CHECK_THAT(weights.value.sum(-1),
                     test::close_to(at::ones({weights.value.size(0)}, at::kDouble)));
          CHECK(static_cast<std::int64_t>(weights.rows.size()) == weights.value.size(0));
          CHECK(static_cast<std::int64_t>(weights.columns.size()) == weights.value.size(1));
        }
  }
}

TEST_CASE("embedding and positions add up to what enters the first layer", "[unit]") {
  const auto walk = walk_through(test::small_run(), {"a b", ""}, {});
  CHECK_THAT(step_of(walk, "E").value + step_of(walk, "P").value,
             test::close_to(step_of(walk, "X").value, {1e-6, 1e-6}));
  CHECK(step_of(walk, "Q").value.size(1) == 4);
  CHECK(step_of(walk, "weights").rows.back() == "</s>");
}

TEST_CASE("a layer or head that is not there is refused", "[unit]") {
  CHECK_THROWS_AS(walk_through(test::small_run(), {"a", "b"}, {AttentionPart::cross, 2, 0}),
                  OptionsError);
  CHECK_THROWS_AS(walk_through(test::small_run(), {"a", "b"}, {AttentionPart::cross, 0, -1}),
                  OptionsError);
}

}  // namespace walk_through_test
