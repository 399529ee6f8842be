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

/// \return f_t and (1 - f_t) * W x_t; in bf16, a gate above 0.998 would be 1
std::pair<at::Tensor, at::Tensor> SsruImpl::gated(const at::Tensor& input) {
  const auto forget = at_least_float(forget_->forward(input)).sigmoid();
  return {forget, (1.0 - forget) * at_least_float(input_->forward(input))};
}

at::Tensor SsruImpl::output_of(const at::Tensor& cell) {
  const auto output = cell.relu();
  return output_ ? output_->forward(output) : output;
}

at::Tensor SsruImpl::read(const at::Tensor& x, const Norm& norm) {
  const auto input = as_product_input(norm(x));
  const auto [forget, addend] = gated(input);
  return output_of(linear_recurrence(forget, addend).to(input.scalar_type()));
}

at::Tensor SsruImpl::read_next(const at::Tensor& x, const Norm& norm, RecurrentState& state) {
  const auto input = norm(x);
  const auto [forget, addend] = gated(input);
  const auto carried = addend.squeeze(1);
  state.hidden = state.hidden.defined() ? forget.squeeze(1) * state.hidden + carried : carried;
  return output_of(state.hidden.unsqueeze(1).to(input.scalar_type()));
}

}  // namespace dragoman
