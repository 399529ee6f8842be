#pragma once

#include "dragoman/corpus/examples.h"

#include <cstdint>
#include <span>
#include <vector>

namespace dragoman {

/// Limits on the size of a batch.
struct BatchLimits {
  std::int64_t tokens = 4096;  ///< padded positions of the longer side
  std::int64_t sentences = 0;  ///< 0 = no limit
};

/// Indices of the examples that form one batch.
using BatchIndices = std::vector<std::uint32_t>;

/// Groups examples of similar length (section 5.1) for training: each entry of `chosen` once per
/// occurrence, no batch above the limits. Ties of length and the order of the batches are shuffled
/// by `seed`; equal seeds give equal plans. Only lengths are read.
/// \throws OptionsError if a single example exceeds `limits.tokens`.
std::vector<BatchIndices> plan_batches(const Examples& examples, const BatchIndices& chosen,
                                       const BatchLimits& limits, std::uint64_t seed);

/// The same for all examples, each exactly once.
std::vector<BatchIndices> plan_batches(const Examples& examples, const BatchLimits& limits,
                                       std::uint64_t seed);

/// The number of batches that `plan_batches` yields; the same for every seed, and faster to
/// compute.
std::int64_t count_batches(const Examples& examples, const BatchIndices& chosen,
                           const BatchLimits& limits);

/// Groups items of similar length for one pass over all of them, longest first and not shuffled, so
/// that a group padded to its longest has at most `max_positions` positions (a single longer item
/// forms a group of its own).
/// \param lengths of each, at least 1
/// \return indices into `lengths`; equal lengths keep their order
std::vector<BatchIndices> length_batches(std::span<const std::int64_t> lengths,
                                         std::int64_t max_positions);

/// The same for sentence pairs, by the longer side.
std::vector<BatchIndices> length_batches(const Examples& examples, std::int64_t max_positions);

/// The cost to a worker of one additional token on each side, in any unit.
struct TokenCosts {
  double source = 1.0;
  double target = 1.0;
};

/// Divides a batch among `shards` workers, keeping neighbours in length together, so that each gets
/// about the same cost. Some parts are empty if there are fewer examples than shards.
std::vector<BatchIndices> shard_batch(const Examples& examples, const BatchIndices& batch,
                                      std::int64_t shards, const TokenCosts& costs = {});

}  // namespace dragoman
