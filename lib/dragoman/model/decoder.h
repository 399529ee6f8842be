#pragma once

#include "dragoman/model/decoder_layer.h"

namespace dragoman {

/// The stack of decoder layers (section 3.1). Pre-norm has one more norm behind the last layer.
class DecoderImpl : public torch::nn::Module {
 public:
  explicit DecoderImpl(const ModelOptions& options, MemoryUse memory_use = MemoryUse::attended);

  /// All positions in one pass; each sees those before it and itself.
  /// \param x embedded target [batch, target_len, d_model]
  /// \param memory [batch, source_len, d_model]; nothing for a decoder that looks at none
  /// \param record attention weights are appended to it, if given
  /// \return [batch, target_len, d_model]
  torch::Tensor forward(const torch::Tensor& x, const torch::Tensor& memory,
                        const AttentionMask& memory_mask = {}, AttentionRecord* record = nullptr);

  /// Starts step-by-step decoding.
  /// \param memory [sentences, source_len, d_model]; nothing for a decoder that looks at none
  DecoderState start(const torch::Tensor& memory, const AttentionMask& memory_mask);

  /// One more token for each row; `state` grows by one position.
  /// \param x embedded tokens [rows, 1, d_model]
  /// \param memory_weights set to the last layer's encoder-decoder attention, if given:
  ///     [sentences, num_heads, beam, source_len]
  /// \return [rows, 1, d_model]
  torch::Tensor step(const torch::Tensor& x, DecoderState& state,
                     at::Tensor* memory_weights = nullptr);

 private:
  torch::Tensor finish(const torch::Tensor& x);

  std::vector<DecoderLayer> layers_;
  bool dense_mask_;  ///< whether a layer looks at all pairs, so that their mask is worth making
  LayerNorm final_norm_{nullptr};
};

TORCH_MODULE(Decoder);

}  // namespace dragoman
