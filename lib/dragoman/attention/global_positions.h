#pragma once

#include "dragoman/attention/attention_mask.h"

#include <cstdint>
#include <vector>

namespace dragoman {

/// Positions that see all of their sentence and are seen by all of it.
struct GlobalPositions {
  std::vector<std::int64_t>
      positions;                     ///< from 0; negative ones from the end: -1 is the last token
  std::vector<std::int64_t> tokens;  ///< ids of pieces that are global wherever they occur

  bool empty() const { return positions.empty() && tokens.empty(); }
  /// Whether position `t` is global according to the non-negative `positions` only, which is all
  /// that decoding knows.
  bool has(std::int64_t t) const;

  /// Each sentence's global positions, without duplicates.
  /// \param mask its `key_mask` gives the ends of sentences, its `tokens` the pieces
  /// \return [1, count] if they are the same for all sentences, else [batch, count]: int64, on the
  ///     CPU, padded with -1
  /// \throws ContractError if `tokens` is not empty and the mask has no tokens.
  at::Tensor find(std::int64_t len, const AttentionMask& mask) const;
};

}  // namespace dragoman
