#include "dragoman/model/encoder.h"

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
  auto hidden = x;
  if (segment_ > 0 && maps == nullptr)
    hidden = run_in_segments(layers_.size(), segment_, x, {},
                             [layers = layers_, mask](std::size_t i, const at::Tensor& input,
                                                      const at::Tensor&) mutable {
                               return layers[i]->forward(input, mask);
                             });
  else
    for (auto& layer : layers_) hidden = layer->forward(hidden, mask, maps);
  return final_norm_.is_empty() ? hidden : final_norm_->forward(hidden);
}

}  // namespace dragoman
