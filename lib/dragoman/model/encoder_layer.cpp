#include "dragoman/model/encoder_layer.h"

namespace dragoman {

EncoderLayerImpl::EncoderLayerImpl(const ModelOptions& options, const LayerAttention& attention)
    : self_attention_(register_module("self_attention", MultiHeadAttention(options, attention))),
      self_attention_norm_(register_module("self_attention_norm", Residual(options))),
      feed_forward_(register_module("feed_forward", FeedForward(options))),
      feed_forward_norm_(register_module("feed_forward_norm", Residual(options))) {}

torch::Tensor EncoderLayerImpl::forward(const torch::Tensor& x, const AttentionMask& mask,
                                        std::vector<at::Tensor>* maps) {
  const auto attended = self_attention_norm_->forward(x, [&](const torch::Tensor& input) {
    return self_attention_->attend(input, self_attention_->project(input), mask, maps);
  });
  return feed_forward_norm_->forward(
      attended, [&](const torch::Tensor& input) { return feed_forward_->forward(input); });
}

}  // namespace dragoman
