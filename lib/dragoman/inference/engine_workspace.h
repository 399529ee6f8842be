#pragma once

#include "dragoman/core/error.h"
#include "dragoman/core/stop.h"
#include "dragoman/inference/buffer.h"
#include "dragoman/inference/engine_weights.h"
#include "dragoman/inference/thread_team.h"
#include "dragoman/kernels/packed_matrix.h"

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>
#include <vector>

namespace dragoman {

/// Consecutive rows that belong to one sentence.
struct RowRange {
  std::int64_t first = 0;
  std::int64_t count = 0;
};

/// The input of a sub-layer.
struct LayerRows {
  const float* x = nullptr;  ///< [rows, d_model]
  /// The same after the norm of a pre-norm layer; else, and if `SublayerInput` is `as_is`, `x`.
  const float* normed = nullptr;
  std::int64_t rows = 0;
};

/// What a sub-layer of a pre-norm layer reads.
enum class SublayerInput { normed, as_is };

/// What a sentence's queries attend to.
struct Memory {
  const float* keys = nullptr;    ///< [rows, keys_width]
  const float* values = nullptr;  ///< [rows, values_width]
  std::int64_t rows = 0;
};

/// The final norm of a pre-norm stack, or that of embeddings, in place; none if it has no weights.
void final_norm(const LayerNormWeights& norm, float* x, std::int64_t rows);

/// The buffers and the threads of one worker, and the sub-layers, which need both. Activations are
/// rows of float32, one for each token of all sentences: there is no padding.
class EngineWorkspace {
 public:
  EngineWorkspace(const EngineWeights& weights, std::int64_t threads)
      : weights_(weights), team_(threads) {}

  const EngineWeights& weights() const { return weights_; }

  /// What the encoder reads for a token: embedding * sqrt(d_model) + position (sections 3.4 and
  /// 3.5), normalised if the model says so. \param x [d_model], written
  /// \throws DataError if there are fewer learned positions
  void embed_source(std::int64_t id, std::int64_t position, float* x);

  /// The same for the decoder, which may read another vector at position 0.
  void embed_target(std::int64_t id, std::int64_t position, float* x);

  /// A product of `x` [rows, inputs of `matrix`].
  void multiply(const PackedMatrix& matrix, const float* x, std::int64_t rows,
                const ProductResult& result);

  /// The activation of a product. \param c [rows, outputs of `matrix`], written
  void multiply(const PackedMatrix& matrix, const float* x, std::int64_t rows,
                Activation activation, float* c);

  /// For several products of the same rows: `pack` once, then `multiply_packed` for each matrix,
  /// with `x` unchanged and no other product in between.
  /// \param first of the matrices, which have equal numbers of inputs
  void pack(const float* x, std::int64_t rows, const PackedMatrix& first);
  void multiply_packed(const PackedMatrix& matrix, const ProductResult& result);

  /// The same in pieces of `panels` panels: `then` is called with the number of each, by the thread
  /// that has computed it, while the cache has it.
  void multiply_packed(const PackedMatrix& matrix, const ProductResult& result, std::int64_t panels,
                       const std::function<void(std::int64_t)>& then);

  /// "Add & Norm" (section 3.1) around `sublayer`, in place.
  /// \param x [rows, d_model]
  /// \param sublayer called with its input and with the result it has to write
  /// \param reads `as_is` if the sub-layer itself uses `norm` of a pre-norm layer
  /// \throws Cancelled if `stop` asks for it
  template <typename Sublayer>
  void add_norm(const LayerNormWeights& norm, float* x, std::int64_t rows, Sublayer sublayer,
                SublayerInput reads = SublayerInput::normed) {
    expect_no_stop(stop);
    const auto d_model = weights_.options.d_model;
    const ProductResult result{.c = x, .residual = weights_.options.residual ? x : nullptr};
    if (weights_.options.norm == NormPosition::post) {
      sublayer(static_cast<const float*>(x), result);
      layer_norm_rows(x, rows, d_model, norm.norm(), x);
    } else if (reads == SublayerInput::as_is) {
      sublayer(static_cast<const float*>(x), result);
    } else {
      float* normed = normed_.of_size(rows * d_model);
      layer_norm_rows(x, rows, d_model, norm.norm(), normed);
      sublayer(static_cast<const float*>(normed), result);
    }
  }

  /// Section 3.3, with "Add & Norm".
  void feed_forward(const FeedForwardWeights& network, const LayerNormWeights& norm, float* x,
                    std::int64_t rows);

  /// The layers of the decoder (section 3.1) and their final norm, in place.
  /// \param x [rows, d_model]
  /// \param read_past the first sub-layer, called with the number of the layer, its `LayerRows` and
  ///     the result it has to write; \param read_memory the second, called with its input instead
  template <typename ReadPast, typename ReadMemory>
  void decode(float* x, std::int64_t rows, const ReadPast& read_past,
              const ReadMemory& read_memory) {
    // Average attention normalises the means of its input.
    const auto past_input = weights_.options.decoder_layer == DecoderLayerKind::average_attention
                                ? SublayerInput::as_is
                                : SublayerInput::normed;
    for (std::size_t i = 0; i < weights_.decoder.size(); ++i) {
      const auto& layer = weights_.decoder[i];
      add_norm(
          layer.past_norm, x, rows,
          [&](const float* input, const ProductResult& result) {
            read_past(i, LayerRows{x, input, rows}, result);
          },
          past_input);
      add_norm(
          layer.memory_attention_norm, x, rows,
          [&](const float* input, const ProductResult& result) { read_memory(i, input, result); });
      feed_forward(layer.feed_forward, layer.feed_forward_norm, x, rows);
    }
    final_norm(weights_.decoder_norm, x, rows);
  }

  /// The queries of `x`, and room for what the attention makes of them.
  struct Heads {
    const float* query = nullptr;  ///< [rows, num_heads * d_k]
    float* context = nullptr;      ///< [rows, num_heads * d_v]

    /// The same from `row` on.
    Heads from(std::int64_t row, const MultiHeadAttentionWeights& attention) const {
      return {query + row * attention.keys_width(), context + row * attention.values_width()};
    }
  };
  Heads project_query(const MultiHeadAttentionWeights& attention, const float* x,
                      std::int64_t rows);

  /// The keys and values of an encoder's output. \param memory [rows, d_model]
  /// \param keys [rows, keys_width] and \param values [rows, values_width], written
  void project_memory(const MultiHeadAttentionWeights& attention, const float* memory,
                      std::int64_t rows, float* keys, float* values);

  /// `project_query`, and the keys and values of self-attention.
  /// \param keys [rows, keys_width] and \param values [rows, values_width], written
  Heads project(const MultiHeadAttentionWeights& attention, const LayerRows& x, float* keys,
                float* values);

  static constexpr std::int64_t queries_at_once = 64;

  /// softmax(Q K^T * scale) V of one sentence (section 3.2.1), a block of queries at a time.
  /// \param heads of the sentence's first query
  /// \param causal query i sees the first i + 1 rows of `memory` only; else all
  /// \param block queries at a time; up to `few_queries`, the result of each is to the bit that of
  ///     `cached_attention`
  /// \param mean_weights the mean of the heads' weights, [queries, memory.rows], written if not
  ///     null; null if causal
  /// \throws Cancelled if `stop` asks for it
  void attend(const MultiHeadAttentionWeights& attention, const Heads& heads, std::int64_t queries,
              const Memory& memory, bool causal, float* mean_weights = nullptr,
              std::int64_t block = queries_at_once) const;

  /// Self-attention of whole sentences. Their keys [rows, keys_width] and values [rows,
  /// values_width] are left in `key` and `value`, unless the attention has no head.
  /// \param block as for `attend`
  /// \throws Cancelled if `stop` asks for it
  void self_attend(const MultiHeadAttentionWeights& attention, std::span<const RowRange> sentences,
                   const LayerRows& x, bool causal, const ProductResult& result,
                   std::int64_t block = queries_at_once);

  /// The result of an attention without any head left: its output bias.
  void add_output_bias(const MultiHeadAttentionWeights& attention, std::int64_t rows,
                       const ProductResult& result) const;

  std::stop_token stop;              ///< of the call
  Buffer key, value;                 ///< of one layer; a recurrence has its states in `key`
  std::array<Buffer, 3> recurrence;  ///< of one layer, while it reads its rows
  Buffer logits;

 private:
  /// A position's row of the sinusoids or the learned positions, [d_model], valid until the next
  /// call; null if the model has none.
  const float* position_row(std::int64_t position);

  /// \param vector scaled already or not, by `scale`
  void embed(const float* vector, float scale, std::int64_t position, const LayerNormWeights& norm,
             float* x);

  const EngineWeights& weights_;
  ThreadTeam team_;
  PackedRows packed_;
  std::vector<float> sinusoids_;
  Buffer normed_, hidden_, query_, context_;
};

}  // namespace dragoman
