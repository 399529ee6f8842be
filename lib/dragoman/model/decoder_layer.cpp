#include "dragoman/model/decoder_layer.h"

#include "dragoman/config/option_text.h"
#include "dragoman/model/average_attention.h"
#include "dragoman/model/lstm.h"
#include "dragoman/model/ssru.h"

#include <algorithm>

namespace dragoman {

namespace {

/// None for self-attention. \param layer where it is registered, under the name of its kind
std::shared_ptr<Recurrence> new_recurrence(torch::nn::Module& layer, const ModelOptions& options,
                                           const std::string& name) {
  switch (options.decoder_layer) {
    case DecoderLayerKind::attention: break;
    case DecoderLayerKind::lstm: return layer.register_module(name, ForwardLstm(options));
    case DecoderLayerKind::ssru: return layer.register_module(name, Ssru(options));
    case DecoderLayerKind::average_attention:
      return layer.register_module(name, AverageAttention(options));
  }
  return nullptr;
}

}  // namespace

DecoderLayerImpl::DecoderLayerImpl(const ModelOptions& options, const LayerAttention& attention,
                                   const LayerAttention& cross, MemoryUse memory_use)
    : norm_later_keys_(options.norm_later_keys) {
  const auto add_norm = [&](const std::string& name) {
    return register_module(name, AddNorm(options));
  };
  const auto with_heads = options.with_heads_of(StackSide::decoder);
  if (options.has_self_attention(StackSide::decoder)) {
    self_attention_ = register_module("self_attention", MultiHeadAttention(with_heads, attention));
    self_attention_norm_ = add_norm("self_attention_norm");
  } else {
    const auto name = option_text(options.decoder_layer);
    recurrence_ = new_recurrence(*this, options, name);
    recurrence_norm_ = add_norm(name + "_norm");
  }
  if (memory_use == MemoryUse::attended) {
    memory_attention_ = register_module("memory_attention", MultiHeadAttention(with_heads, cross));
    memory_attention_norm_ = add_norm("memory_attention_norm");
  }
  feed_forward_ =
      register_module("feed_forward", FeedForward(options, options.decoder_inner_width()));
  feed_forward_norm_ = add_norm("feed_forward_norm");
}

torch::Tensor DecoderLayerImpl::forward(const torch::Tensor& x, const torch::Tensor& memory,
                                        const AttentionMask& self_mask,
                                        const AttentionMask& memory_mask, AttentionRecord* record) {
  auto hidden = x;
  if (self_attention_) {
    auto* maps = record != nullptr ? &record->decoder_self : nullptr;
    const auto input = self_attention_norm_->before(hidden);
    const auto attended = self_attend(hidden, input, self_mask, maps);
    hidden = self_attention_norm_->after(hidden, attended);
  } else {
    hidden = recurrence_norm_->after(hidden, recurrence_->read(hidden, recurrence_input()));
  }
  if (memory_attention_) {
    auto* maps = record != nullptr ? &record->cross : nullptr;
    const auto input = memory_attention_norm_->before(hidden);
    const auto attended =
        memory_attention_->forward(input, memory_attention_->project(memory), memory_mask, maps);
    hidden = memory_attention_norm_->after(hidden, attended);
  }
  return feed_forward(hidden);
}

KeyValue DecoderLayerImpl::project_memory(const torch::Tensor& memory) {
  if (!memory_attention_) return {};
  const auto projected = memory_attention_->project(memory);
  // Read at every step: worth one copy that makes each head's positions contiguous.
  return {projected.key.contiguous(), projected.value.contiguous()};
}

torch::Tensor DecoderLayerImpl::step(const torch::Tensor& x, DecoderState::Layer& state,
                                     const AttentionMask& memory_mask,
                                     std::vector<at::Tensor>* maps) {
  auto hidden = x;
  if (self_attention_) {
    const auto input = self_attention_norm_->before(hidden);
    hidden = self_attention_norm_->after(hidden, attend_past(hidden, input, state.past));
  } else {
    const auto read = recurrence_->read_next(hidden, recurrence_input(), state.recurrence);
    hidden = recurrence_norm_->after(hidden, read);
  }
  if (memory_attention_) {
    const auto input = memory_attention_norm_->before(hidden);
    // The hypotheses of a sentence are queries of one memory.
    const auto sentences = state.memory.key.size(0);
    const auto each = input.size(0) / std::max<std::int64_t>(1, sentences);
    const auto queries = input.view({sentences, each, input.size(2)});
    const auto attended = memory_attention_->forward(queries, state.memory, memory_mask, maps);
    hidden = memory_attention_norm_->after(hidden, attended.view(input.sizes()));
  }
  return feed_forward(hidden);
}

Recurrence::Norm DecoderLayerImpl::recurrence_input() {
  return [this](const torch::Tensor& x) { return recurrence_norm_->before(x); };
}

// Without `norm_later_keys`, queries attend to keys that are not normalised, except that of the
// first position, which sees itself alone, normalised: as in the translator of Marian.
torch::Tensor DecoderLayerImpl::self_attend(const torch::Tensor& x, const torch::Tensor& normed,
                                            const AttentionMask& mask,
                                            std::vector<at::Tensor>* maps) {
  if (norm_later_keys_)
    return self_attention_->self_attend(normed, self_attention_norm_->key_value_input(x, normed),
                                        mask, maps);
  const auto later = self_attention_->self_attend(normed, x, mask, maps);
  const auto first = normed.narrow(1, 0, 1);
  return at::cat({self_attention_->self_attend(first, first, {}, nullptr),
                  later.narrow(1, 1, later.size(1) - 1)},
                 1);
}

torch::Tensor DecoderLayerImpl::attend_past(const torch::Tensor& x, const torch::Tensor& normed,
                                            Past& past) {
  if (norm_later_keys_)
    return self_attention_->step(normed, self_attention_norm_->key_value_input(x, normed), past);
  if (past.rows() > 0) return self_attention_->step(normed, x, past);
  Past first_alone;
  const auto first = self_attention_->step(normed, normed, first_alone);
  self_attention_->step(normed, x, past);
  return first;
}

torch::Tensor DecoderLayerImpl::feed_forward(const torch::Tensor& x) {
  return feed_forward_norm_->after(x, feed_forward_->forward(feed_forward_norm_->before(x)));
}

}  // namespace dragoman
