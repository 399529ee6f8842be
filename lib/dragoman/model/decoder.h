#pragma once

#include "dragoman/model/decoder_layer.h"

namespace dragoman {

/// The stack of decoder layers (section 3.1). Pre-norm adds a final norm after the last layer.
class DecoderImpl : public torch::nn::Module {
 public:
  explicit DecoderImpl(const ModelOptions& options, MemoryUse memory_use = MemoryUse::attended);

  /// All positions in one pass; each sees itself and those before it.
  /// \param x embedded target [batch, target_len, d_model]
  /// \param memory [batch, source_len, d_model]; undefined for a decoder without memory
  /// \param memory_mask created once for all layers
  /// \param record attention weights are appended to it, if given
  /// \return [batch, target_len, d_model]
  torch::Tensor forward(const torch::Tensor& x, const torch::Tensor& memory,
                        const AttentionMask& memory_mask = {}, AttentionRecord* record = nullptr);

  /// Starts step-by-step decoding.
  /// \param memory [sentences, source_len, d_model]; undefined for a decoder without memory
  DecoderState start(const torch::Tensor& memory, const AttentionMask& memory_mask);

  /// Advances each row by one token; `state` grows by one position.
  /// \param x embedded tokens [rows, 1, d_model]
  /// \param memory_weights set to the last layer's encoder-decoder attention, if given: [sentences,
  ///     num_heads, beam, source_len]
  /// \return [rows, 1, d_model]
  /// \throws ContractError if weights are asked for of a decoder without memory
  torch::Tensor step(const torch::Tensor& x, DecoderState& state,
                     at::Tensor* memory_weights = nullptr);

  /// From now on, `forward` runs in segments of this many layers for the backward pass, see
  /// `run_in_segments`; 0 = no segments.
  void recompute(std::int64_t segment) { segment_ = segment; }

 private:
  torch::Tensor finish(const torch::Tensor& x);

  std::vector<DecoderLayer> layers_;
  std::int64_t segment_ = 0;
  bool has_memory_;
  bool dense_mask_;  ///< true if some layer attends to all pairs, so that a dense mask pays off
  LayerNorm final_norm_{nullptr};
};

TORCH_MODULE(Decoder);

}  // namespace dragoman
