#include "dragoman/model/decoder.h"

#include "dragoman/core/error.h"
#include "dragoman/model/layer_stack.h"

namespace dragoman {

namespace {

// For longer sequences full attention creates the mask itself, or refuses the length.
constexpr std::int64_t longest_dense_mask = 8192;

}  // namespace

DecoderImpl::DecoderImpl(const ModelOptions& options, MemoryUse memory_use)
    : layers_(register_layers(*this, options.decoder_layers,
                              [&](std::int64_t i) {
                                return DecoderLayer(options, options.decoder_attention.of_layer(i),
                                                    options.cross_attention.of_layer(i),
                                                    memory_use);
                              })),
      has_memory_(memory_use == MemoryUse::attended),
      dense_mask_(options.has_self_attention(StackSide::decoder) &&
                  options.decoder_attention.has(AttentionKind::full)) {
  if (options.norm == NormPosition::pre)
    final_norm_ = register_module("final_norm", LayerNorm(options.d_model, options.layer_norm_eps));
}

torch::Tensor DecoderImpl::forward(const torch::Tensor& x, const torch::Tensor& memory,
                                   const AttentionMask& memory_mask, AttentionRecord* record) {
  const bool dense = dense_mask_ && x.size(1) <= longest_dense_mask;
  const auto self_mask = dense ? AttentionMask::causal(x.size(1), x.options())
                               : AttentionMask::structured({}, /*causal=*/true);
  auto hidden = x;
  if (segment_ > 0 && record == nullptr)
    hidden = run_in_segments(
        layers_.size(), segment_, x, memory,
        [layers = layers_, self_mask, memory_mask](std::size_t i, const at::Tensor& input,
                                                   const at::Tensor& read) mutable {
          return layers[i]->forward(input, read, self_mask, memory_mask);
        });
  else
    for (auto& layer : layers_)
      hidden = layer->forward(hidden, memory, self_mask, memory_mask, record);
  return finish(hidden);
}

DecoderState DecoderImpl::start(const torch::Tensor& memory, const AttentionMask& memory_mask) {
  DecoderState state;
  for (auto& layer : layers_) state.layers.push_back({.memory = layer->project_memory(memory)});
  state.memory_mask = memory_mask;
  return state;
}

torch::Tensor DecoderImpl::step(const torch::Tensor& x, DecoderState& state,
                                at::Tensor* memory_weights) {
  std::vector<at::Tensor> maps;
  if (memory_weights != nullptr && !has_memory_)
    throw ContractError("decoder: has no memory whose weights it could return");
  auto hidden = x;
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const bool wanted = memory_weights != nullptr && i + 1 == layers_.size();
    hidden = layers_[i]->step(hidden, state.layers[i], state.memory_mask, wanted ? &maps : nullptr);
  }
  ++state.length;
  if (memory_weights != nullptr) *memory_weights = maps.back();
  return finish(hidden);
}

torch::Tensor DecoderImpl::finish(const torch::Tensor& x) {
  return final_norm_.is_empty() ? x : final_norm_->forward(x);
}

}  // namespace dragoman
