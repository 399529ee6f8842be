#pragma once

#include "dragoman/model/encoder_layer.h"

namespace dragoman {

/// The stack of encoder layers (section 3.1). Pre-norm adds a final norm after the last layer.
class EncoderImpl : public torch::nn::Module {
 public:
  explicit EncoderImpl(const ModelOptions& options);

  /// \param x embedded source [batch, source_len, d_model]
  /// \param mask created once for all layers
  /// \param maps each layer's attention weights are appended to it, if given
  /// \return memory [batch, source_len, d_model]
  torch::Tensor forward(const torch::Tensor& x, const AttentionMask& mask = {},
                        std::vector<at::Tensor>* maps = nullptr);

  /// From now on, `forward` runs in segments of this many layers for the backward pass, see
  /// `run_in_segments`; 0 = no segments.
  void recompute(std::int64_t segment) { segment_ = segment; }

 private:
  std::vector<EncoderLayer> layers_;
  std::int64_t segment_ = 0;
  LayerNorm final_norm_{nullptr};
};

TORCH_MODULE(Encoder);

}  // namespace dragoman
