#include "dragoman/data/buckets.h"

#include "dragoman/core/error.h"
#include "support/padding.h"
#include "support/shared.h"

#include <algorithm>
#include <numeric>
#include <random>

namespace dragoman::buckets_test {

namespace {

Example pair_of(std::size_t source, std::size_t target) {
  return {.source_ids = std::vector<std::int32_t>(source, 4),
          .target_ids = std::vector<std::int32_t>(target, 4)};
}

/// Pairs whose sides are about equally long, 4 to 40 pieces.
std::vector<Example> corpus(std::size_t count) {
  std::mt19937 random(5);
  std::vector<Example> examples;
  for (std::size_t i = 0; i < count; ++i) {
    const auto length = 4 + random() % 37;
    examples.push_back(pair_of(length, std::max<std::size_t>(3, length + random() % 5 - 2)));
  }
  return examples;
}

std::int64_t padded_cells(const std::vector<Example>& examples, const BatchIndices& batch) {
  std::size_t longest = 0;
  for (const auto i : batch)
    longest = std::max({longest, examples[i].source_ids.size(), examples[i].target_ids.size()});
  return static_cast<std::int64_t>(longest * batch.size());
}

}  // namespace

TEST_CASE("each pair is in exactly one batch of an epoch", "[property]") {
  const auto examples = corpus(2000);
  std::vector<int> seen(examples.size());
  for (const auto& batch : plan_batches(examples, {.tokens = 1000}, 1))
    for (const auto i : batch) ++seen[i];
  CHECK(std::all_of(seen.begin(), seen.end(), [](int times) { return times == 1; }));
}

TEST_CASE("no batch exceeds its limits", "[property]") {
  const auto examples = corpus(2000);
  for (const auto& batch : plan_batches(examples, {.tokens = 1000, .sentences = 30}, 1)) {
    CHECK(padded_cells(examples, batch) <= 1000);
    CHECK(batch.size() <= 30);
  }
}

TEST_CASE(
    "batches of one pass are longest first, fill their positions and keep the order of equals",
    "[unit]") {
  const std::vector<std::int64_t> lengths{3, 5, 2, 5, 30, 3, 1};
  const auto batches = length_batches(lengths, 10);
  CHECK(batches == std::vector<BatchIndices>{{4}, {1, 3}, {0, 5, 2}, {6}});
  CHECK(length_batches(std::vector<std::int64_t>{}, 10).empty());
}

TEST_CASE("pairs are grouped for one pass by their longer side", "[property]") {
  const auto examples = corpus(500);
  std::vector<std::int64_t> lengths;
  for (const auto& example : examples)
    lengths.push_back(std::max(std::ssize(example.source_ids), std::ssize(example.target_ids)));
  const auto batches = length_batches(examples, 300);
  CHECK(batches == length_batches(lengths, 300));
  std::size_t pairs = 0;
  for (const auto& batch : batches) {
    CHECK(padded_cells(examples, batch) <= 300);
    pairs += batch.size();
  }
  CHECK(pairs == examples.size());
}

TEST_CASE("sorting by the longer side pads less than sorting by either side", "[property]") {
  std::mt19937 random(6);
  std::vector<Example> examples;
  for (int i = 0; i < 3000; ++i) examples.push_back(pair_of(6 + random() % 20, 6 + random() % 20));
  BatchIndices by_target(examples.size());
  std::iota(by_target.begin(), by_target.end(), 0U);
  const auto lengths = [&](std::uint32_t i) {
    return std::pair(examples[i].target_ids.size(), examples[i].source_ids.size());
  };
  std::sort(by_target.begin(), by_target.end(),
            [&](auto a, auto b) { return lengths(a) < lengths(b); });
  std::vector<BatchIndices> sorted(1);
  for (const auto i : by_target) {
    sorted.back().push_back(i);
    if (padded_cells(examples, sorted.back()) <= 2000) continue;
    sorted.back().pop_back();
    sorted.push_back({i});
  }
  const auto padding = [&](const std::vector<BatchIndices>& plan) {
    std::int64_t positions = 0;
    for (const auto& batch : plan) positions += test::padding_positions(examples, batch);
    return static_cast<double>(positions);
  };
  const auto planned = plan_batches(examples, {.tokens = 2000}, 1);
  CHECK(padding(planned) < 0.7 * padding(sorted));
  CHECK(planned.size() <= sorted.size());
}

TEST_CASE("the order of an epoch is determined by its seed", "[property]") {
  const auto examples = corpus(500);
  CHECK(plan_batches(examples, {.tokens = 500}, 7) == plan_batches(examples, {.tokens = 500}, 7));
  CHECK(plan_batches(examples, {.tokens = 500}, 7) != plan_batches(examples, {.tokens = 500}, 8));
}

TEST_CASE("a pair longer than the batch limit is refused with both numbers", "[unit]") {
  CHECK_THROWS_WITH(plan_batches(std::vector{pair_of(5, 60)}, {.tokens = 50}, 1),
                    test::contains("train.batch_tokens: 50") && test::contains("60 pieces"));
}

TEST_CASE("dividing a batch keeps every example and balances the tokens", "[property]") {
  const auto examples = corpus(400);
  for (const auto& batch : plan_batches(examples, {.tokens = 2000}, 1)) {
    std::vector<std::int64_t> tokens;
    BatchIndices all;
    for (const auto& part : shard_batch(examples, batch, 3)) {
      std::int64_t sum = 0;
      for (const auto i : part)
        sum += static_cast<std::int64_t>(examples[i].source_ids.size() +
                                         examples[i].target_ids.size());
      tokens.push_back(sum);
      all.insert(all.end(), part.begin(), part.end());
    }
    CHECK(all == batch);
    if (batch.size() < 9) continue;
    const auto [least, most] = std::minmax_element(tokens.begin(), tokens.end());
    CHECK(*most - *least <= 2 * 84);  // at most two of the longest pairs
  }
}

TEST_CASE("a batch is divided by the cost of the tokens of each side", "[property]") {
  // Sorted by their difference, the first pairs have the long targets.
  std::vector<Example> examples;
  for (std::size_t i = 0; i < 60; ++i) examples.push_back(pair_of(5 + i / 4, 20 - i / 4));
  BatchIndices batch(examples.size());
  std::iota(batch.begin(), batch.end(), 0U);
  const TokenCosts costs{.source = 1.0, .target = 3.0};
  const auto parts = shard_batch(examples, batch, 2, costs);
  const auto cost_of = [&](const BatchIndices& part) {
    double cost = 0.0;
    for (const auto i : part)
      cost +=
          static_cast<double>(examples[i].source_ids.size() + 3 * examples[i].target_ids.size());
    return cost;
  };
  CHECK(std::abs(cost_of(parts[0]) - cost_of(parts[1])) <= 65.0);  // the most expensive pair
  CHECK(parts[0].size() < parts[1].size());
}

TEST_CASE("more shards than examples leave some empty", "[unit]") {
  const std::vector<Example> examples(2, pair_of(4, 4));
  const auto parts = shard_batch(examples, {0, 1}, 4);
  CHECK(std::count_if(parts.begin(), parts.end(), [](const auto& p) { return p.empty(); }) == 2);
}

}  // namespace dragoman::buckets_test
