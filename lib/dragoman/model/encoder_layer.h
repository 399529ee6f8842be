#pragma once

#include "dragoman/model/add_norm.h"
#include "dragoman/model/convolution.h"
#include "dragoman/model/feed_forward.h"
#include "dragoman/model/lstm.h"
#include "dragoman/model/multi_head_attention.h"

namespace dragoman {

/// Self-attention and feed-forward network, each inside "Add & Norm" (section 3.1, left half of
/// figure 1). `options.encoder_layer` may replace self-attention by a recurrence or a convolution,
/// or put a convolution before it, each inside its own "Add & Norm".
class EncoderLayerImpl : public torch::nn::Module {
 public:
  /// \param attention options of its self-attention
  explicit EncoderLayerImpl(const ModelOptions& options, const LayerAttention& attention = {});

  /// \param x [batch, source_len, d_model]
  /// \param maps the attention weights are appended to it, if given and there are any
  /// \return [batch, source_len, d_model]
  /// \throws ContractError if a convolution or a recurrence gets another mask than one of keys
  torch::Tensor forward(const torch::Tensor& x, const AttentionMask& mask,
                        std::vector<at::Tensor>* maps = nullptr);

 private:
  Convolution convolution_{nullptr};
  AddNorm convolution_norm_{nullptr};
  BidirectionalLstm lstm_{nullptr};
  AddNorm lstm_norm_{nullptr};
  MultiHeadAttention self_attention_{nullptr};
  AddNorm self_attention_norm_{nullptr};
  FeedForward feed_forward_{nullptr};
  AddNorm feed_forward_norm_{nullptr};
};

TORCH_MODULE(EncoderLayer);

}  // namespace dragoman
