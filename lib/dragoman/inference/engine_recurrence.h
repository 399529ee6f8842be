#pragma once

#include "dragoman/inference/engine_workspace.h"

#include <cstdint>
#include <vector>

namespace dragoman {

/// The states of a recurrence before and after the tokens that it reads, one row for each.
struct RecurrenceRows {
  /// The state after the token before each; null for a sentence's first token. May be an earlier
  /// row of `after`.
  std::vector<const float*> previous = {};
  std::vector<std::int64_t> positions = {};  ///< of each token in its sentence, from 0
  float* after = nullptr;                    ///< [rows, d_model], written

  /// All tokens of sentences.
  static RecurrenceRows of_sentences(std::span<const RowRange> sentences, std::int64_t d_model,
                                     float* states);
};

/// What a decoder layer reads instead of by self-attention (`model/recurrence`), without "Add &
/// Norm".
/// \param weights not of a layer with self-attention
/// \param norm of the layer
void recur(const RecurrenceWeights& weights, const LayerRows& x, const LayerNormWeights& norm,
           const RecurrenceRows& states, EngineWorkspace& workspace, const ProductResult& result);

}  // namespace dragoman
