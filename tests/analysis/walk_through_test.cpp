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

TEST_CASE("a walk through any attention reproduces the weights of the model's own pass",
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

TEST_CASE("a walk through every kind of layer and attention reproduces the model's weights",
          "[property]") {
  const auto check = [](const LoadedRun& run, AttentionPart kind) {
    const auto walk = walk_through(run, {"a b d", "e f g h"}, {kind, 1, 1});
    CHECK(walk.difference < 1e-6);
    CHECK_THAT(step_of(walk, "weights").value.matmul(step_of(walk, "V").value),
               test::close_to(step_of(walk, "context").value));
    return walk;
  };
  const HeadAttention linear = {.kind = AttentionKind::linear};
  for (const auto kind : {AttentionPart::encoder, AttentionPart::decoder})
    CHECK(
        step_of(check(test::small_run(linear, linear), kind), "phi(Q)").value.min().item<double>() >
        0.0);
  const HeadAttention low_rank = {.kind = AttentionKind::low_rank, .rank = 3, .max_length = 16};
  CHECK(step_of(check(test::small_run(low_rank), AttentionPart::encoder), "E K").value.size(0) ==
        3);
  for (const auto norm : {NormPosition::post, NormPosition::pre}) {
    const auto run = test::small_run([norm](ModelOptions& options) {
      options.norm = norm;
      options.encoder_layer = EncoderLayerKind::conv_attention;
      options.decoder_layer = DecoderLayerKind::lstm;
    });
    check(run, AttentionPart::encoder);
    check(run, AttentionPart::cross);
  }
  const auto more_heads =
      test::small_run([](ModelOptions& options) { options.decoder_num_heads = 4; });
  for (const auto kind : {AttentionPart::encoder, AttentionPart::decoder, AttentionPart::cross})
    CHECK(step_of(check(more_heads, kind), "Q").value.size(1) ==
          (kind == AttentionPart::encoder ? 4 : 2));
}

TEST_CASE("a walk through an attention that the layers lack is refused", "[unit]") {
  const auto run = test::small_run(EncoderLayerKind::lstm, DecoderLayerKind::attention);
  CHECK_THROWS_WITH(walk_through(run, {"a", "b"}, {}),
                    test::contains("this model has the attention decoder, cross"));
}

TEST_CASE("embedding and positions add up to the input of the first layer", "[unit]") {
  const auto walk = walk_through(test::small_run(), {"a b", ""}, {});
  CHECK_THAT(step_of(walk, "E").value + step_of(walk, "P").value,
             test::close_to(step_of(walk, "X").value, {1e-6, 1e-6}));
  CHECK(step_of(walk, "Q").value.size(1) == 4);
  CHECK(step_of(walk, "weights").rows.back() == "</s>");
}

TEST_CASE("a layer or head that does not exist is refused", "[unit]") {
  CHECK_THROWS_AS(walk_through(test::small_run(), {"a", "b"}, {AttentionPart::cross, 2, 0}),
                  OptionsError);
  CHECK_THROWS_AS(walk_through(test::small_run(), {"a", "b"}, {AttentionPart::cross, 0, -1}),
                  OptionsError);
}

}  // namespace walk_through_test
