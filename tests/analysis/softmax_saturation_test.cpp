#include "dragoman/analysis/softmax_saturation.h"

#include "analysis/small_run.h"
#include "dragoman/analysis/model_parts.h"
#include "dragoman/analysis/pair_batches.h"
#include "dragoman/core/error.h"

#include <ATen/ATen.h>

namespace softmax_saturation_test {

using namespace dragoman;

TEST_CASE("rows are saturated if one key has nearly all the weight", "[unit]") {
  // One sentence, one head, three queries over two keys; the last query is padding.
  const auto weights = at::tensor({0.995, 0.005, 0.6, 0.4, 1.0, 0.0}).view({1, 1, 3, 2});
  const auto counted = at::tensor({1, 1, 0}).to(at::kBool).view({1, 3});
  const auto found = saturation_of(weights, counted);
  CHECK(found.rows == 2);
  CHECK(found.saturated == 1);
  CHECK(found.share() == 0.5);
  CHECK(saturation_of(weights, counted, 0.5).saturated == 2);
  CHECK(Saturation().share() == 0.0);
}

TEST_CASE("every head of every layer counts, except rows with a single key", "[unit]") {
  const auto run = test::small_run();
  const std::vector<LinePair> pairs = {{"baten koru", "koru vedo"}};
  const auto batch = pair_batches(run.vocabulary, pairs).front();
  // Two layers of two heads: encoder and cross rows are all counted, the decoder's first is not.
  const auto heads = 2 * 2;
  const auto found = softmax_saturation(run.model, std::span(&batch, 1));
  CHECK(found.rows ==
        heads * (batch.source_tokens + batch.target_tokens + batch.target_tokens - 1));
  CHECK(found.saturated < found.rows);
}

TEST_CASE("large queries saturate the softmax", "[property]") {
  const auto run = test::small_run();
  const auto lines = test::synthetic_lines(8);
  std::vector<LinePair> pairs;
  for (const auto& line : lines) pairs.push_back({line, line});
  const auto batches = pair_batches(run.vocabulary, pairs);
  const double before = softmax_saturation(run.model, batches).share();
  auto model = run.model;
  const torch::NoGradGuard no_gradient;
  for (auto& weight : model->named_parameters())
    if (weight.key().ends_with("query.weight")) weight.value().mul_(1000.0);
  CHECK(before < 0.1);
  CHECK(softmax_saturation(run.model, batches).share() > 0.8);
}

}  // namespace softmax_saturation_test
