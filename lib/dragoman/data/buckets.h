#pragma once

#include "dragoman/corpus/examples.h"

#include <cstdint>
#include <vector>

namespace dragoman {

/// How large one batch may become.
struct BatchLimits {
  std::int64_t tokens = 4096;   ///< padded cells of the longer side
  std::int64_t sentences = 0;   ///< 0 = no limit
};

/// Indices of the examples that form one batch.
using BatchIndices = std::vector<std::uint32_t>;

/// Groups examples of like length (section 5.1): each of `chosen` as often as it is there, no batch
/// over the limits. Ties of length and the order of the batches are shuffled by `seed`; equal seeds
/// give equal plans. Only lengths are looked at.
/// \throws OptionsError if one example alone is over `limits.tokens`.
std::vector<BatchIndices> plan_batches(const Examples& examples, const BatchIndices& chosen,
                                       const BatchLimits& limits, std::uint64_t seed);

/// The same of all examples, each exactly once.
std::vector<BatchIndices> plan_batches(const Examples& examples, const BatchLimits& limits,
                                       std::uint64_t seed);

/// How many batches `plan_batches` makes of them; the same for every seed, and found sooner.
std::int64_t count_batches(const Examples& examples, const BatchIndices& chosen,
                           const BatchLimits& limits);

/// What one token more of each side costs a worker, in any unit.
struct TokenCosts {
  double source = 1.0;
  double target = 1.0;
};

/// Deals a batch to `shards` workers, neighbours in length staying together, so that each gets
/// about the same cost. Some parts are empty if there are fewer examples than shards.
std::vector<BatchIndices> deal_batch(const Examples& examples, const BatchIndices& batch,
                                     std::int64_t shards, const TokenCosts& costs = {});

/// Cells of the two rectangles of a batch that hold no token.
std::int64_t padding_cells(const Examples& examples, const BatchIndices& batch);

}  // namespace dragoman
