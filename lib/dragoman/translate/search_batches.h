#pragma once

#include "dragoman/data/buckets.h"

#include <cstdint>
#include <span>
#include <vector>

namespace dragoman {

/// The size of what a search is given of one sentence, in pieces.
struct SearchLengths {
  std::int64_t source = 1;  ///< tokens, EOS included if the model reads it
  std::int64_t prefix = 0;  ///< of the target
};

/// The positions that a sentence counts as at least in a batch of `max_positions`, so that the
/// batch needs at most 8 GiB while translations have up to 64 pieces.
/// \param bytes_per_sentence as of `InferenceModel::bytes_per_hypothesis`; 0 = no bound
std::int64_t least_positions(double bytes_per_sentence, std::int64_t max_positions);

/// Groups sentences of similar source length as `length_batches` does. The prefixes of one batch
/// have the same bit width: a search reads all of them in one pass up to the length of the
/// shortest, which is thus more than half of the longest.
/// \param max_positions padded source positions of a batch, as for `length_batches`
/// \return indices into `lengths`; each index once
std::vector<BatchIndices> search_batches(std::span<const SearchLengths> lengths,
                                         std::int64_t max_positions);

}  // namespace dragoman
