#pragma once

#include <cstdint>
#include <span>

namespace dragoman {

/// What the beams of one sentence attend to.
struct BeamMemory {
  std::int64_t tokens = 0;        ///< at least one
  const float* keys = nullptr;    ///< [num_heads, d_k, padded tokens], by `transpose_keys`
  const float* values = nullptr;  ///< [tokens, num_heads * d_v]
  float* mean_weights = nullptr;  ///< [beam, tokens]: the heads' mean, written if not null
};

/// Encoder-decoder attention of one step: `beam` queries to each sentence's memory, which is read
/// at every step, so that its keys are transposed once.
struct BeamAttention {
  std::int64_t num_heads = 0, d_k = 0, d_v = 0;  ///< widths are multiples of `small::lanes`
  std::int64_t beam = 1;
  float scale = 1.0F;
  const float* query = nullptr;  ///< [sentences * beam, num_heads * d_k]
};

/// softmax(q K^T * scale) V for each query and head.
/// \param context written, [sentences * beam, num_heads * d_v]
void beam_attention(const BeamAttention& input, std::span<const BeamMemory> sentences,
                    float* context);

/// The numbers in a sentence's transposed keys.
std::int64_t transposed_size(std::int64_t tokens, std::int64_t num_heads, std::int64_t d_k);

/// \param keys [tokens, num_heads * d_k]
/// \param transposed written, [num_heads, d_k, padded tokens], zeros behind the tokens
void transpose_keys(const float* keys, std::int64_t tokens, std::int64_t num_heads,
                    std::int64_t d_k, float* transposed);

}  // namespace dragoman
