#pragma once

#include "dragoman/text/example.h"

#include <cstdint>
#include <span>
#include <vector>

namespace dragoman {

/// How large one batch may become.
struct BatchLimits {
  std::int64_t tokens = 4096;   ///< padded cells of the longer side
  std::int64_t sentences = 0;   ///< 0 = no limit
};

/// Indices of the examples that form one batch.
using BatchIndices = std::vector<std::uint32_t>;

/// Groups examples of like length (section 5.1): each exactly once, no batch over the limits.
/// Ties of length and the order of the batches are shuffled by `seed`; equal seeds give equal plans.
/// \throws OptionsError if one example alone is over `limits.tokens`.
std::vector<BatchIndices> plan_batches(std::span<const Example> examples, const BatchLimits& limits,
                                       std::uint64_t seed);

/// Deals a batch to `shards` workers, neighbours in length staying together, so that each gets
/// about the same number of tokens. Some parts are empty if there are fewer examples than shards.
std::vector<BatchIndices> deal_batch(std::span<const Example> examples, const BatchIndices& batch,
                                     std::int64_t shards);

/// Cells of the two rectangles of a batch that hold no token.
std::int64_t padding_cells(std::span<const Example> examples, const BatchIndices& batch);

}  // namespace dragoman
