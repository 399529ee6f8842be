#include "dragoman/model/average_attention.h"

#include "dragoman/core/concat.h"
#include "dragoman/model/activation.h"
#include "dragoman/tensor/autocast.h"
#include "dragoman/tensor/dropout.h"

namespace dragoman {

AverageAttentionImpl::AverageAttentionImpl(const ModelOptions& options)
    : activation_(options.average_activation), dropout_(options.activation_dropout_rate()) {
  const auto map = [&](const std::string& name, std::int64_t inputs, std::int64_t outputs) {
    return register_module(name, Linear(LinearOptions{.inputs = inputs, .outputs = outputs}));
  };
  auto width = options.d_model;
  for (std::int64_t i = 0; i + 1 < options.average_depth; ++i) {
    inner_.push_back(map(concat("inner_", i), width, options.average_width()));
    width = options.average_width();
  }
  if (width != options.d_model) outer_ = map("outer", width, options.d_model);
  if (!options.average_gate) return;
  input_gate_ = map("input_gate", options.d_model, options.d_model);
  mean_gate_ = map("mean_gate", options.d_model, options.d_model);
}

at::Tensor AverageAttentionImpl::output_of(const at::Tensor& x, const at::Tensor& mean,
                                           const Norm& norm) {
  auto y = norm(mean);
  for (auto& layer : inner_)
    y = dragoman::dropout(activate(layer->forward(y), activation_), dropout_, is_training());
  if (outer_) y = outer_->forward(y);
  if (!input_gate_) return y;
  return input_gate_->forward(x).sigmoid() * x + mean_gate_->forward(y).sigmoid() * y;
}

at::Tensor AverageAttentionImpl::read(const at::Tensor& x, const Norm& norm) {
  const auto exact = at_least_float(x);  // bf16 counts to 256 only
  const auto counts = at::arange(1, x.size(1) + 1, exact.options()).unsqueeze(1);
  return output_of(x, (exact.cumsum(1) / counts).to(x.scalar_type()), norm);
}

at::Tensor AverageAttentionImpl::read_next(const at::Tensor& x, const Norm& norm,
                                           RecurrentState& state) {
  const auto token = at_least_float(x.squeeze(1));  // as in `read`
  state.hidden = state.hidden.defined() ? state.hidden + token : token;
  const auto mean = state.hidden / static_cast<double>(++state.tokens);
  return output_of(x, mean.unsqueeze(1).to(x.scalar_type()), norm);
}

}  // namespace dragoman
