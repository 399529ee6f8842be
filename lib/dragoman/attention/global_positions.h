#pragma once

#include "dragoman/attention/attention_mask.h"

#include <cstdint>
#include <vector>

namespace dragoman {

/// Positions that see all of their sentence and are seen by all of it.
struct GlobalPositions {
  std::vector<std::int64_t> positions;  ///< from 0; negative ones from the end: -1 is the last token
  std::vector<std::int64_t> tokens;     ///< ids of pieces that are global wherever they stand

  bool empty() const { return positions.empty() && tokens.empty(); }
  /// Whether position `t` is global, told by `positions` from 0 alone: as decoding knows it.
  bool has(std::int64_t t) const;

  /// Each sentence's global positions, each of them once.
  /// \param mask its `keys` tell the ends of sentences, its `tokens` the pieces
  /// \return [1, count] if they are the same for all sentences, else [batch, count]: int64, on the
  ///     CPU, filled up with -1
  /// \throws ContractError if pieces are asked for and the mask does not tell them.
  at::Tensor find(std::int64_t len, const AttentionMask& mask) const;
};

}  // namespace dragoman
