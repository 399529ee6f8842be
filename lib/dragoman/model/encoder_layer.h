#pragma once

#include "dragoman/model/feed_forward.h"
#include "dragoman/model/multi_head_attention.h"
#include "dragoman/model/residual.h"

namespace dragoman {

/// Self-attention and feed-forward network, each inside "Add & Norm" (section 3.1, left half of
/// figure 1).
class EncoderLayerImpl : public torch::nn::Module {
 public:
  /// \param attention of its self-attention
  explicit EncoderLayerImpl(const ModelOptions& options, const LayerAttention& attention = {});

  /// \param x [batch, source_len, d_model]
  /// \param maps the attention weights are appended to it, if given
  /// \return [batch, source_len, d_model]
  torch::Tensor forward(const torch::Tensor& x, const AttentionMask& mask,
                        std::vector<at::Tensor>* maps = nullptr);

 private:
  MultiHeadAttention self_attention_;
  Residual self_attention_norm_;
  FeedForward feed_forward_;
  Residual feed_forward_norm_;
};

TORCH_MODULE(EncoderLayer);

}  // namespace dragoman
