#include "dragoman/attention/factory.h"
#include "dragoman/attention/sparse.h"

#include "attention_support.h"

#include "support/golden.h"

#include <cmath>
#include <map>

namespace patterns_golden_test {

using dragoman::AttentionKind;
using dragoman::AttentionMask;
using dragoman::HeadAttention;
using dragoman::NeedWeights;

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
  return AttentionMask::structured({}, causal);
}

void check_results(const test::GoldenCase& golden, const nlohmann::json& run,
                   NeedWeights need_weights) {
  const auto query = golden.variable("Q"), key = golden.variable("K"), value = golden.variable("V");
  const auto result = dragoman::make_attention(options_of(run))
                          ->attend(query, {key, value}, mask_of(run),
                                   {.scale = test::scale_of(query), .need_weights = need_weights});
  const auto expected = [&](const nlohmann::json& stored) {
    return test::golden_tensor(stored).to(golden.device(), golden.type());
  };
  CHECK_THAT(result.context, test::close_to(expected(run.at("out"))));
  result.context.backward(golden.grad_output());
  CHECK_THAT(query.grad(), test::close_to(expected(run.at("grads").at("Q"))));
  CHECK_THAT(key.grad(), test::close_to(expected(run.at("grads").at("K"))));
  CHECK_THAT(value.grad(), test::close_to(expected(run.at("grads").at("V"))));
}

void check_runs(const test::GoldenCase& golden) {
  for (const auto& run : test::golden_list(golden.json(), "runs")) {
    CAPTURE(run.at("pattern").get<std::string>(), run.at("params").dump());
    for (const auto need_weights : {NeedWeights::no, NeedWeights::yes})
      check_results(golden, run, need_weights);
    const auto pairs = test::seen_pairs(options_of(run), golden.input("Q").size(2), mask_of(run));
    CHECK(at::equal(pairs, test::golden_tensor(run.at("allow")).to(at::kBool)));
    CHECK(pairs.sum().item<std::int64_t>() == run.at("allowed_pairs"));
  }
}

}  // namespace

TEST_CASE("sparse attentions have the golden results and gradients, in blocks and over all pairs",
          "[golden]") {
  for (const auto& name : test::golden_names("attention_patterns"))
    for (const auto& place : test::golden_places()) {
      CAPTURE(name, place);
      check_runs(test::GoldenCase(name, place));
    }
}

TEST_CASE("sparse attentions compute as many pairs as the golden counts", "[golden]") {
  for (const auto& name : test::golden_names("attention_pattern_counts"))
    for (const auto& run : test::golden_list(test::golden_case(name), "runs")) {
      CAPTURE(name, run.dump());
      const auto pairs = test::seen_pairs(options_of(run), run.at("n"), mask_of(run));
      CHECK(pairs.sum().item<std::int64_t>() == run.at("allowed_pairs").get<std::int64_t>());
    }
}

}  // namespace patterns_golden_test
