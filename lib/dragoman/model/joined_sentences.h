#pragma once

#include "dragoman/attention/fused_torch.h"

#include <cstdint>

namespace dragoman {

/// Pieces of the longest sentence whose attention a GPU computes together with that of its
/// neighbours.
inline constexpr std::int64_t longest_joined_sentence = longest_joined;

/// A number of sentences with many divisors: a multiple of it can be joined in groups of 2, 3, 4, 6
/// and 12.
inline constexpr std::int64_t joinable_sentences = 12;

}  // namespace dragoman
