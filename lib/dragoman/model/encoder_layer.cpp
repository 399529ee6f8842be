#include "dragoman/model/encoder_layer.h"

#include "dragoman/core/error.h"

namespace dragoman {

EncoderLayerImpl::EncoderLayerImpl(const ModelOptions& options, const LayerAttention& attention) {
  const auto add_norm = [&](const char* name) { return register_module(name, AddNorm(options)); };
  if (options.has_convolution()) {
    convolution_ = register_module("convolution", Convolution(options));
    convolution_norm_ = add_norm("convolution_norm");
  }
  if (options.encoder_layer == EncoderLayerKind::lstm) {
    lstm_ = register_module("lstm", BidirectionalLstm(options));
    lstm_norm_ = add_norm("lstm_norm");
  }
  if (options.has_self_attention(StackSide::encoder)) {
    self_attention_ = register_module("self_attention", MultiHeadAttention(options, attention));
    self_attention_norm_ = add_norm("self_attention_norm");
  }
  feed_forward_ = register_module("feed_forward", FeedForward(options, options.d_ff));
  feed_forward_norm_ = add_norm("feed_forward_norm");
}

torch::Tensor EncoderLayerImpl::forward(const torch::Tensor& x, const AttentionMask& mask,
                                        std::vector<at::Tensor>* maps) {
  if (!mask.is_key_mask() && (convolution_ || lstm_))
    throw ContractError("encoder layer: a convolution or a recurrence accepts only key masks");
  auto hidden = x;
  if (convolution_) {
    const auto input = convolution_norm_->before(hidden);
    hidden = convolution_norm_->after(hidden, convolution_->forward(input, mask.key_mask));
  }
  if (lstm_) {
    const auto input = lstm_norm_->before(hidden);
    hidden = lstm_norm_->after(hidden, lstm_->forward(input, mask.key_mask));
  }
  if (self_attention_) {
    const auto input = self_attention_norm_->before(hidden);
    const auto& keys_from = self_attention_norm_->key_value_input(hidden, input);
    const auto attended = self_attention_->self_attend(input, keys_from, mask, maps);
    hidden = self_attention_norm_->after(hidden, attended);
  }
  const auto input = feed_forward_norm_->before(hidden);
  return feed_forward_norm_->after(hidden, feed_forward_->forward(input));
}

}  // namespace dragoman
