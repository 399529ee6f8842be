#include "dragoman/model/decoder_layer.h"

namespace dragoman {

DecoderLayerImpl::DecoderLayerImpl(const ModelOptions& options, const LayerAttention& attention,
                                   const LayerAttention& cross)
    : self_attention_(register_module("self_attention", MultiHeadAttention(options, attention))),
      self_attention_norm_(register_module("self_attention_norm", Residual(options))),
      memory_attention_(register_module("memory_attention", MultiHeadAttention(options, cross))),
      memory_attention_norm_(register_module("memory_attention_norm", Residual(options))),
      feed_forward_(register_module("feed_forward", FeedForward(options))),
      feed_forward_norm_(register_module("feed_forward_norm", Residual(options))) {}

torch::Tensor DecoderLayerImpl::forward(const torch::Tensor& x, const torch::Tensor& memory,
                                        const AttentionMask& self_mask,
                                        const AttentionMask& memory_mask,
                                        AttentionRecord* record) {
  auto hidden = self_attention_norm_->forward(x, [&](const torch::Tensor& input) {
    return self_attention_->attend(input, self_attention_->project(input), self_mask,
                                   record != nullptr ? &record->decoder_self : nullptr);
  });
  hidden = memory_attention_norm_->forward(hidden, [&](const torch::Tensor& input) {
    return memory_attention_->attend(input, memory_attention_->project(memory), memory_mask,
                                     record != nullptr ? &record->decoder_memory : nullptr);
  });
  return feed_forward_norm_->forward(
      hidden, [&](const torch::Tensor& input) { return feed_forward_->forward(input); });
}

KeyValue DecoderLayerImpl::project_memory(const torch::Tensor& memory) {
  const auto projected = memory_attention_->project(memory);
  // Read at every step: worth one copy that brings each head's positions together.
  return {projected.key.contiguous(), projected.value.contiguous()};
}

torch::Tensor DecoderLayerImpl::step(const torch::Tensor& x, DecoderState::Layer& state,
                                     const AttentionMask& memory_mask,
                                     std::vector<at::Tensor>* maps) {
  auto hidden = self_attention_norm_->forward(x, [&](const torch::Tensor& input) {
    return self_attention_->step(input, state.past);
  });
  hidden = memory_attention_norm_->forward(hidden, [&](const torch::Tensor& input) {
    // The beams of a sentence are queries of one memory.
    const auto beams = input.view({state.memory.key.size(0), -1, input.size(2)});
    return memory_attention_->attend(beams, state.memory, memory_mask, maps).view(input.sizes());
  });
  return feed_forward_norm_->forward(
      hidden, [&](const torch::Tensor& input) { return feed_forward_->forward(input); });
}

}  // namespace dragoman
