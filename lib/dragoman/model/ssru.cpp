#include "dragoman/model/ssru.h"

#include "dragoman/tensor/autocast.h"
#include "dragoman/tensor/linear_recurrence.h"

namespace dragoman {

SsruImpl::SsruImpl(const ModelOptions& options) {
  const auto map = [&](const char* name, bool bias) {
    return register_module(
        name,
        Linear(LinearOptions{.inputs = options.d_model, .outputs = options.d_model, .bias = bias}));
  };
  input_ = map("input", false);
  forget_ = map("forget", true);
  if (options.ssru_output) output_ = map("output", true);
}

at::Tensor SsruImpl::output_of(const at::Tensor& cell) {
  const auto output = cell.relu();
  return output_ ? output_->forward(output) : output;
}

at::Tensor SsruImpl::read(const at::Tensor& x, const Norm& norm) {
  const auto input = as_product_input(norm(x));
  const auto forget = forget_->forward(input).sigmoid();
  return output_of(linear_recurrence(forget, (1.0 - forget) * input_->forward(input)));
}

at::Tensor SsruImpl::read_next(const at::Tensor& x, const Norm& norm, RecurrentState& state) {
  const auto input = norm(x);
  const auto forget = forget_->forward(input).sigmoid().squeeze(1);
  const auto candidate = input_->forward(input).squeeze(1);
  state.hidden = state.hidden.defined() ? candidate + forget * (state.hidden - candidate)
                                        : (1.0 - forget) * candidate;
  return output_of(state.hidden.unsqueeze(1));
}

}  // namespace dragoman
