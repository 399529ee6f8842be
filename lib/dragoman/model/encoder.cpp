#include "dragoman/model/encoder.h"

#include "dragoman/model/layer_segments.h"
#include "dragoman/model/layer_stack.h"

namespace dragoman {

EncoderImpl::EncoderImpl(const ModelOptions& options)
    : layers_(register_layers(*this, options.encoder_layers, [&](std::int64_t i) {
        return EncoderLayer(options, options.encoder_attention.of_layer(i));
      })) {
  if (options.norm == NormPosition::pre)
    final_norm_ = register_module("final_norm", LayerNorm(options.d_model, options.layer_norm_eps));
}

torch::Tensor EncoderImpl::forward(const torch::Tensor& x, const AttentionMask& mask,
                                   std::vector<at::Tensor>* maps) {
  const auto run = [layers = layers_, mask, maps](std::int64_t layer, const at::Tensor& input,
                                                  const at::Tensor&) mutable {
    return layers[static_cast<std::size_t>(layer)]->forward(input, mask, maps);
  };
  const auto count = static_cast<std::int64_t>(layers_.size());
  const auto hidden = run_layers(count, maps == nullptr ? segment_ : 0, x, {}, run);
  return final_norm_.is_empty() ? hidden : final_norm_->forward(hidden);
}

}  // namespace dragoman
