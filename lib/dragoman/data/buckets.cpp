#include "dragoman/data/buckets.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/mix.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>

namespace dragoman {

namespace {

/// Both lengths as one number that sorts by the longer side, then by the difference of the sides:
/// ascending if that length is odd, descending if it is even. Thus the pairs of a batch that spans
/// the end of one length and the beginning of the next are similar in their difference too.
using LengthKey = std::uint64_t;
LengthKey key_of(const PairLength& length) {
  constexpr std::int64_t middle = std::int64_t{1} << 31;
  const auto longer = std::max<std::int64_t>(length.source, length.target);
  const auto difference = std::int64_t{length.source} - length.target;
  const auto place = middle + (longer % 2 == 1 ? difference : -difference);
  return static_cast<LengthKey>(longer << 32 | place);
}
std::int64_t longer_side(LengthKey key) { return static_cast<std::int64_t>(key >> 32); }

/// Decides, item by item in the order of their lengths, ascending or descending, where one batch
/// ends and the next begins. A single item may exceed the limit of tokens.
class Filling {
 public:
  explicit Filling(const BatchLimits& limits) : limits_(limits) {}

  /// Whether an item starts a new batch. \param length of its longer side
  bool begins_batch(std::int64_t length) {
    longest_ = std::max(longest_, length);
    ++count_;
    const bool full =
        longest_ * count_ > limits_.tokens || (limits_.sentences > 0 && count_ > limits_.sentences);
    if (!full && count_ > 1) return false;
    longest_ = length;
    count_ = 1;
    return true;
  }

 private:
  BatchLimits limits_;
  std::int64_t longest_ = 0;  ///< of the batch being filled
  std::int64_t count_ = 0;
};

/// The longer side. \throws OptionsError if it is too long for any batch
std::int64_t fitting_length(LengthKey key, const BatchLimits& limits) {
  const auto length = longer_side(key);
  if (length > limits.tokens)
    throw OptionsError(concat("train.batch_tokens: ", limits.tokens,
                              " in all processes together is less than one example, whose longer "
                              "side has ",
                              length, " pieces with EOS; raise it or lower data.max_length"));
  return length;
}

struct Keyed {
  LengthKey key;
  std::uint32_t index;
};

/// By length; equal lengths in an order drawn by `random`.
std::vector<Keyed> by_length(const Examples& examples, const BatchIndices& chosen,
                             std::mt19937_64& random) {
  auto order = chosen;
  shuffle(order, random);
  std::vector<Keyed> keyed;
  keyed.reserve(order.size());
  for (const auto index : order) keyed.push_back({key_of(examples.length(index)), index});
  std::stable_sort(keyed.begin(), keyed.end(),
                   [](const Keyed& a, const Keyed& b) { return a.key < b.key; });
  return keyed;
}

}  // namespace

std::vector<BatchIndices> plan_batches(const Examples& examples, const BatchIndices& chosen,
                                       const BatchLimits& limits, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<BatchIndices> plan;
  Filling filling(limits);
  for (const auto& [key, index] : by_length(examples, chosen, random)) {
    if (filling.begins_batch(fitting_length(key, limits))) plan.emplace_back();
    plan.back().push_back(index);
  }
  shuffle(plan, random);
  return plan;
}

std::vector<BatchIndices> plan_batches(const Examples& examples, const BatchLimits& limits,
                                       std::uint64_t seed) {
  BatchIndices all(examples.size());
  std::iota(all.begin(), all.end(), 0U);
  return plan_batches(examples, all, limits, seed);
}

std::int64_t count_batches(const Examples& examples, const BatchIndices& chosen,
                           const BatchLimits& limits) {
  std::vector<LengthKey> keys;
  keys.reserve(chosen.size());
  for (const auto index : chosen) keys.push_back(key_of(examples.length(index)));
  std::sort(keys.begin(), keys.end());
  Filling filling(limits);
  return std::count_if(keys.begin(), keys.end(), [&](LengthKey key) {
    return filling.begins_batch(fitting_length(key, limits));
  });
}

std::vector<BatchIndices> length_batches(std::span<const std::int64_t> lengths,
                                         std::int64_t max_positions) {
  BatchIndices order(lengths.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, std::greater<>(), [&](std::uint32_t i) { return lengths[i]; });
  std::vector<BatchIndices> batches;
  Filling filling({.tokens = max_positions});
  for (const auto i : order) {
    if (filling.begins_batch(lengths[i])) batches.emplace_back();
    batches.back().push_back(i);
  }
  return batches;
}

std::vector<BatchIndices> length_batches(const Examples& examples, std::int64_t max_positions) {
  std::vector<std::int64_t> lengths;
  lengths.reserve(examples.size());
  for (std::size_t i = 0; i < examples.size(); ++i) {
    const auto length = examples.length(i);
    lengths.push_back(std::max(length.source, length.target));
  }
  return length_batches(lengths, max_positions);
}

std::vector<BatchIndices> shard_batch(const Examples& examples, const BatchIndices& batch,
                                      std::int64_t shards, const TokenCosts& costs) {
  const auto cost_of = [&](std::uint32_t index) {
    const auto length = examples.length(index);
    return costs.source * length.source + costs.target * length.target;
  };
  double total = 0.0;
  for (const auto index : batch) total += cost_of(index);
  std::vector<BatchIndices> parts(static_cast<std::size_t>(shards));
  double assigned = 0.0;
  for (const auto index : batch) {
    // The part whose share of the cost contains the middle of this example.
    const double cost = cost_of(index);
    const auto part =
        static_cast<std::int64_t>((assigned + cost / 2.0) / total * static_cast<double>(shards));
    parts[static_cast<std::size_t>(std::min(shards - 1, part))].push_back(index);
    assigned += cost;
  }
  return parts;
}

}  // namespace dragoman
