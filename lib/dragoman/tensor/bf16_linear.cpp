#include "dragoman/tensor/bf16_linear.h"

#include "dragoman/core/error.h"
#include "dragoman/kernels/bf16_sums.h"
#include "dragoman/tensor/bf16_products.h"

#include <torch/csrc/autograd/custom_function.h>
#include <torch/types.h>

#include <optional>
#include <vector>

namespace dragoman {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

const Bf16* numbers_of(const at::Tensor& x) { return static_cast<const Bf16*>(x.const_data_ptr()); }

/// Adds gradient^T x, summed in float32.
void add_weight_gradient(at::Tensor& kept, const at::Tensor& gradient, const at::Tensor& x) {
  if (kept.is_cuda()) {
    at::addmm_out(kept, kept, gradient.t(), x, torch::kFloat32);
    return;
  }
  if (kept.is_cpu())
    add_bf16_outer_products(gradient, x, kept);
  else
    kept.add_(at::mm(gradient.t(), x));
}

/// Adds the sum of the rows, in float32.
void add_bias_gradient(at::Tensor& kept, const at::Tensor& gradient) {
  if (kept.is_cuda()) {  // as a product, which is faster there than a reduction
    auto row = kept.unsqueeze(0);
    at::addmm_out(row, row, gradient.new_ones({1, gradient.size(0)}), gradient, torch::kFloat32);
    return;
  }
  if (!kept.is_cpu()) {
    kept.add_(gradient.sum(at::IntArrayRef{0}, /*keepdim=*/false, torch::kFloat32));
    return;
  }
  std::vector<float> sums(static_cast<std::size_t>(kept.size(0)));
  add_bf16_rows(sums.data(), numbers_of(gradient), gradient.size(0), gradient.size(1));
  auto* numbers = kept.mutable_data_ptr<float>();
  for (const float sum : sums) *numbers++ += sum;
}

at::Tensor multiply(const at::Tensor& rows, const at::Tensor& matrix, const at::Tensor& bias) {
  if (!rows.is_cpu()) return bias.defined() ? at::addmm(bias, rows, matrix) : at::mm(rows, matrix);
  auto product = at::empty({rows.size(0), matrix.size(1)}, rows.options());
  multiply_bf16_rows(rows, matrix, bias, product);
  return product;
}

at::Tensor multiply(const at::Tensor& rows, const at::Tensor& matrix, const at::Tensor& bias,
                    Epilogue epilogue) {
  if (epilogue == Epilogue::none) return multiply(rows, matrix, bias);
  if (rows.is_cuda() && bias.defined()) return at::_addmm_activation(bias, rows, matrix);
  return multiply(rows, matrix, bias).relu_();
}

class Bf16Linear : public torch::autograd::Function<Bf16Linear> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& weight,
                            const std::optional<at::Tensor>& bias, const at::Tensor& bf16_weight,
                            const std::optional<at::Tensor>& bf16_bias, Epilogue epilogue) {
    const auto result = multiply(x, bf16_weight.t(), bf16_bias.value_or(at::Tensor()), epilogue);
    // relu's own gradient follows from its result.
    context->save_for_backward({x, weight, bias.value_or(at::Tensor()), bf16_weight,
                                epilogue == Epilogue::relu ? result : at::Tensor()});
    return result;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const auto saved = context->get_saved_variables();
    const auto &x = saved[0], &weight = saved[1], &bias = saved[2], &bf16_weight = saved[3];
    auto gradient = gradients[0].contiguous();
    if (saved[4].defined()) gradient = at::threshold_backward(gradient, saved[4], 0);
    if (weight.requires_grad()) add_weight_gradient(kept_gradient(weight), gradient, x);
    if (bias.defined() && bias.requires_grad()) add_bias_gradient(kept_gradient(bias), gradient);
    variable_list results(6);
    if (context->needs_input_grad(0)) results[0] = multiply(gradient, bf16_weight, {});
    return results;
  }
};

std::optional<at::Tensor> if_defined(const at::Tensor& x) {
  return x.defined() ? std::optional(x) : std::nullopt;
}

}  // namespace

at::Tensor& kept_gradient(const at::Tensor& parameter) {
  auto& gradient = parameter.mutable_grad();
  if (!gradient.defined() || !gradient.is_contiguous() || gradient.scalar_type() != torch::kFloat32)
    throw ContractError("bf16 training: the gradient must be defined, float32 and contiguous");
  return gradient;
}

at::Tensor bf16_linear(const at::Tensor& x, const LinearMap& parameters, const LinearMap& rounded,
                       Epilogue epilogue) {
  auto sizes = x.sizes().vec();
  sizes.back() = rounded.weight.size(0);
  const auto rows =
      Bf16Linear::apply(x.reshape({-1, x.size(-1)}), parameters.weight, if_defined(parameters.bias),
                        rounded.weight, if_defined(rounded.bias), epilogue);
  // The result of relu is kept for the backward pass, and a view notices if it is overwritten.
  // Others may be: no one else holds the rows.
  return epilogue == Epilogue::relu ? rows.view(sizes) : at::_unsafe_view(rows, sizes);
}

}  // namespace dragoman
