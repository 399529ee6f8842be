#include "dragoman/data/buckets.h"

#include "dragoman/core/error.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <tuple>

namespace dragoman {

namespace {

/// std::shuffle's use of its generator is left to the library; this one is the same everywhere.
template <typename T>
void shuffle(std::vector<T>& values, std::mt19937_64& random) {
  for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[random() % i]);
}

std::int64_t longer_side(const Example& example) {
  return static_cast<std::int64_t>(std::max(example.source_ids.size(), example.target_ids.size()));
}

std::int64_t tokens_of(const Example& example) {
  return static_cast<std::int64_t>(example.source_ids.size() + example.target_ids.size());
}

std::vector<std::uint32_t> by_length(std::span<const Example> examples, std::mt19937_64& random) {
  std::vector<std::uint32_t> order(examples.size());
  std::iota(order.begin(), order.end(), 0U);
  shuffle(order, random);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::tuple(examples[a].target_ids.size(), examples[a].source_ids.size()) <
           std::tuple(examples[b].target_ids.size(), examples[b].source_ids.size());
  });
  return order;
}

}  // namespace

std::vector<BatchIndices> plan_batches(std::span<const Example> examples, const BatchLimits& limits,
                                       std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<BatchIndices> plan;
  BatchIndices batch;
  std::int64_t longest = 0;
  for (const auto index : by_length(examples, random)) {
    const auto length = longer_side(examples[index]);
    if (length > limits.tokens)
      throw OptionsError(concat("train.batch_tokens: ", limits.tokens, " is less than one pair of ",
                                length, " pieces; raise it or lower data.max_length"));
    const auto count = static_cast<std::int64_t>(batch.size()) + 1;
    const bool full = std::max(longest, length) * count > limits.tokens ||
                      (limits.sentences > 0 && count > limits.sentences);
    if (full && !batch.empty()) {
      plan.push_back(std::move(batch));
      batch.clear();
      longest = 0;
    }
    batch.push_back(index);
    longest = std::max(longest, length);
  }
  if (!batch.empty()) plan.push_back(std::move(batch));
  shuffle(plan, random);
  return plan;
}

std::vector<BatchIndices> deal_batch(std::span<const Example> examples, const BatchIndices& batch,
                                     std::int64_t shards) {
  std::int64_t total = 0;
  for (const auto index : batch) total += tokens_of(examples[index]);
  std::vector<BatchIndices> parts(static_cast<std::size_t>(shards));
  std::int64_t dealt = 0;
  for (const auto index : batch) {
    // The part whose share of the tokens holds the middle of this example.
    const auto tokens = tokens_of(examples[index]);
    const auto part = std::min(shards - 1, (2 * dealt + tokens) * shards / (2 * total));
    parts[static_cast<std::size_t>(part)].push_back(index);
    dealt += tokens;
  }
  return parts;
}

std::int64_t padding_cells(std::span<const Example> examples, const BatchIndices& batch) {
  std::size_t source_length = 0;
  std::size_t target_length = 0;
  std::int64_t tokens = 0;
  for (const auto index : batch) {
    source_length = std::max(source_length, examples[index].source_ids.size());
    target_length = std::max(target_length, examples[index].target_ids.size());
    tokens += tokens_of(examples[index]);
  }
  return static_cast<std::int64_t>((source_length + target_length) * batch.size()) - tokens;
}

}  // namespace dragoman
