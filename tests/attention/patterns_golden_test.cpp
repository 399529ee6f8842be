#include "dragoman/attention/factory.h"
#include "dragoman/attention/sparse.h"

#include "support/golden.h"

#include <cmath>
#include <map>

namespace patterns_golden_test {

using dragoman::AttentionKind;
using dragoman::AttentionMask;
using dragoman::HeadAttention;
using dragoman::Sight;
using dragoman::Weights;

namespace {

/// A setting of the golden cases as this library's options.
HeadAttention options_of(const nlohmann::json& run) {
  static const std::map<std::string, AttentionKind> kinds = {
      {"full", AttentionKind::full},
      {"causal", AttentionKind::full},
      {"local", AttentionKind::local},
      {"local_causal", AttentionKind::local},
      {"dilated", AttentionKind::dilated},
      {"strided", AttentionKind::strided},
      {"strided_relative", AttentionKind::strided_relative},
      {"sparse_strided_causal", AttentionKind::sparse_strided},
      {"sparse_fixed_causal", AttentionKind::sparse_fixed},
      {"global_local", AttentionKind::global_local},
      {"longformer", AttentionKind::longformer}};
  HeadAttention options{.kind = kinds.at(run.at("pattern"))};
  const auto& sizes = run.at("params");
  options.radius = sizes.value("radius", options.radius);
  options.dilation = sizes.value("dilation", options.dilation);
  options.stride = sizes.value("stride", options.stride);
  options.summary = sizes.value("c", options.summary);
  options.global_positions = sizes.value("global", options.global_positions);
  return options;
}

AttentionMask mask_of(const nlohmann::json& run) {
  const std::string pattern = run.at("pattern");
  const bool causal = pattern == "causal" || pattern == "local_causal";
  return AttentionMask::structured({}, causal ? Sight::past : Sight::whole);
}

/// Which query attends to which key, read from the weights: [len, len] bool.
at::Tensor seen_pairs(const HeadAttention& options, std::int64_t len, const AttentionMask& mask) {
  const auto x = at::zeros({1, 1, len, 1}, at::kDouble);
  const auto dense = mask.dense(len, len, x);
  const auto result =
      dragoman::make_attention(options)->attend(x, {x, x}, dense, {.weights = Weights::keep});
  return result.weights[0][0] > 0;
}

void check_run(const test::GoldenCase& golden, const nlohmann::json& run, at::ScalarType type,
               Weights weights) {
  const auto query = golden.variable("Q"), key = golden.variable("K"), value = golden.variable("V");
  const auto result = dragoman::make_attention(options_of(run))
                          ->attend(query, {key, value}, mask_of(run),
                                   {.scale = test::scale_of(query), .weights = weights});
  const auto expected = [&](const nlohmann::json& stored) {
    return test::golden_tensor(stored).to(type);
  };
  CHECK_THAT(result.context, test::close_to(expected(run.at("out"))));
  result.context.backward(golden.grad_output());
  CHECK_THAT(query.grad(), test::close_to(expected(run.at("grads").at("Q"))));
  CHECK_THAT(key.grad(), test::close_to(expected(run.at("grads").at("K"))));
  CHECK_THAT(value.grad(), test::close_to(expected(run.at("grads").at("V"))));
}

}  // namespace

TEST_CASE("sparse attentions have the golden results and gradients, in blocks and over all pairs",
          "[golden]") {
  int runs = 0;
  for (const auto type : test::golden_types()) {
    const test::GoldenCase golden("attention_patterns", type);
    for (const auto& run : golden.json().at("runs"))
      for (const auto weights : {Weights::drop, Weights::keep}) {
        CAPTURE(run.at("pattern").get<std::string>(), run.at("params").dump(), c10::toString(type));
        ++runs;
        check_run(golden, run, type, weights);
        CHECK(at::equal(seen_pairs(options_of(run), golden.input("Q").size(2), mask_of(run)),
                        test::golden_tensor(run.at("allow")).to(at::kBool)));
      }
  }
  CHECK(runs > 0);
}

TEST_CASE("sparse attentions compute as many pairs as the golden counts", "[golden]") {
  for (const auto& run :
       test::golden_file().at("cases").at("attention_pattern_counts").at("runs")) {
    CAPTURE(run.dump());
    const auto pairs = seen_pairs(options_of(run), run.at("n"), mask_of(run));
    CHECK(pairs.sum().item<std::int64_t>() == run.at("allowed_pairs").get<std::int64_t>());
  }
}

TEST_CASE("a window of w reproduces the tutorial's matrices as radius w - 1", "[golden]") {
  const auto example = test::worked_example("001.local_window")["correct"];
  const auto pairs = seen_pairs({.kind = AttentionKind::local, .radius = 1}, 5, {});
  CHECK(at::equal(pairs, test::plain_tensor(example["window_2_matrix_n5"]) > 0));
  const auto row =
      seen_pairs({.kind = AttentionKind::local, .radius = 2}, 12, {})[4];  // position 5 of 1..
  CHECK_THAT(at::nonzero(row).flatten().to(at::kDouble) + 1,
             test::close_to(test::plain_tensor(example["window_3_position_5"])));
}

TEST_CASE("strided attention reproduces the tutorial's keys of position 10", "[golden]") {
  const auto example = test::worked_example("001.strided")["correct"];
  const auto keys = [](AttentionKind kind) {
    const auto row = seen_pairs({.kind = kind, .stride = 3}, 16, {})[10];
    return at::nonzero(row).flatten().to(at::kDouble);
  };
  CHECK_THAT(keys(AttentionKind::strided), test::close_to(test::plain_tensor(example["keys"])));
  CHECK_THAT(keys(AttentionKind::strided_relative),
             test::close_to(test::plain_tensor(example["relative_variant"])));
}

TEST_CASE("global and local attention reproduces the tutorial's pairs of 101 positions",
          "[golden]") {
  const auto pairs = test::worked_example("001.global_local")["correct"]["allowed_pairs"];
  for (const auto& [radius, name] : {std::pair{2, "window_3_radius_2"}, {4, "window_5_radius_4"}}) {
    const HeadAttention options{
        .kind = AttentionKind::global_local, .radius = radius, .global_positions = {0, -1}};
    CHECK(seen_pairs(options, 101, {}).sum().item<std::int64_t>() ==
          pairs[name].get<std::int64_t>());
  }
}

}  // namespace patterns_golden_test
