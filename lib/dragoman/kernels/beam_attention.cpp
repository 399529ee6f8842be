#include "dragoman/kernels/beam_attention.h"

#include "dragoman/core/simd.h"
#include "dragoman/kernels/small_products.h"
#include "dragoman/kernels/small_softmax.h"

#include <algorithm>
#include <vector>

namespace dragoman {

namespace {

/// One head of one sentence.
/// \param scores [beam, padded tokens], overwritten with the weights
template <typename Vector>
DRAGOMAN_INLINE void attend_head(const BeamAttention& input, const BeamMemory& memory,
                                 std::int64_t head, const float* query, float* scores,
                                 float* context) {
  const auto width = small::padded(memory.tokens);
  const auto queries = input.num_heads * input.d_k, values = input.num_heads * input.d_v;
  small::multiply<Vector>({query + head * input.d_k, queries, 1},
                          {memory.keys + head * input.d_k * width, width}, {scores, width},
                          input.beam, width, input.d_k);
  for (std::int64_t b = 0; b < input.beam; ++b)
    small::softmax<Vector>(scores + b * width, memory.tokens, input.scale, nullptr);
  small::multiply<Vector>({scores, width, 1}, {memory.values + head * input.d_v, values},
                          {context + head * input.d_v, values}, input.beam, input.d_v,
                          memory.tokens);
}

DRAGOMAN_INLINE void add_weights(const BeamAttention& input, const BeamMemory& memory,
                                 const float* weights) {
  const auto width = small::padded(memory.tokens);
  const float share = 1.0F / static_cast<float>(input.num_heads);
  for (std::int64_t b = 0; b < input.beam; ++b)
    for (std::int64_t j = 0; j < memory.tokens; ++j)
      memory.mean_weights[b * memory.tokens + j] += weights[b * width + j] * share;
}

template <typename Vector>
DRAGOMAN_INLINE void attend_sentences(const BeamAttention& input,
                                      std::span<const BeamMemory> sentences, float* context) {
  std::int64_t longest = 0;
  for (const auto& memory : sentences) longest = std::max(longest, memory.tokens);
  std::vector<float> scores(static_cast<std::size_t>(input.beam * small::padded(longest)));
  const float* query = input.query;
  for (const auto& memory : sentences) {
    if (memory.mean_weights != nullptr)
      std::fill_n(memory.mean_weights, input.beam * memory.tokens, 0.0F);
    for (std::int64_t h = 0; h < input.num_heads; ++h) {
      attend_head<Vector>(input, memory, h, query, scores.data(), context);
      if (memory.mean_weights != nullptr) add_weights(input, memory, scores.data());
    }
    query += input.beam * input.num_heads * input.d_k;
    context += input.beam * input.num_heads * input.d_v;
  }
}

}  // namespace

void beam_attention(const BeamAttention& input, std::span<const BeamMemory> sentences,
                    float* context) {
  run_on_this_cpu([&](auto vector) __attribute__((always_inline)) {
    attend_sentences<small::Vector<vector>>(input, sentences, context);
  });
}

std::int64_t transposed_size(std::int64_t tokens, std::int64_t num_heads, std::int64_t d_k) {
  return num_heads * d_k * small::padded(tokens);
}

void transpose_keys(const float* keys, std::int64_t tokens, std::int64_t num_heads,
                    std::int64_t d_k, float* transposed) {
  for (std::int64_t h = 0; h < num_heads; ++h)
    small::transpose({keys + h * d_k, num_heads * d_k},
                     transposed + h * transposed_size(tokens, 1, d_k), tokens, d_k);
}

}  // namespace dragoman
