#include "dragoman/tensor/relu_network.h"

#include "dragoman/kernels/small_vector.h"
#include "dragoman/kernels/sparse_products.h"
#include "dragoman/tensor/dropout.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/autocast_mode.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/custom_class.h>

#include <optional>
#include <vector>

namespace dragoman {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// The share of numbers that are not zero up to which leaving out the others is faster, in all
/// products together.
constexpr double most_nonzero = 0.25;

/// What is behind relu and dropout, [rows, d_ff].
struct Hidden : torch::CustomClassHolder {
  SparseMatrix numbers;
};

/// \param b [depth, columns]
DensePanels panels_of(const at::Tensor& b) {
  DensePanels panels;
  panels.pack(b.const_data_ptr<float>(), b.size(0), b.size(1));
  return panels;
}

/// \param b [columns, depth]
DensePanels panels_of_transposed(const at::Tensor& b) {
  DensePanels panels;
  panels.pack_transposed(b.const_data_ptr<float>(), b.size(1), b.size(0));
  return panels;
}

/// a b + bias: [rows of a, columns of b].
at::Tensor multiply(const SparseMatrix& a, const DensePanels& b, const at::Tensor& bias,
                    const at::TensorOptions& options) {
  auto c = at::empty({a.rows(), b.columns()}, options);
  const float* add = bias.defined() ? bias.const_data_ptr<float>() : nullptr;
  auto* to = c.mutable_data_ptr<float>();
  at::parallel_for(0, b.panels(), 1, [&](std::int64_t first, std::int64_t last) {
    multiply_sparse(a, b, add, to, first, last);
  });
  return c;
}

/// The sum of each row.
at::Tensor row_sums(const SparseMatrix& a, const at::TensorOptions& options) {
  auto sums = at::zeros({a.rows()}, options);
  auto* sum = sums.mutable_data_ptr<float>();
  for (std::int64_t row = 0; row < a.rows(); ++row)
    for (auto i = a.starts[static_cast<std::size_t>(row)];
         i < a.starts[static_cast<std::size_t>(row + 1)]; ++i)
      sum[row] += a.values[static_cast<std::size_t>(i)];
  return sums;
}

at::Tensor linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
  return bias.defined() ? at::addmm(bias, x, weight.t()) : at::mm(x, weight.t());
}

/// The gradients of x, both weights and both biases.
struct NetworkGradients {
  at::Tensor x, inner_weight, inner_bias, outer_weight, outer_bias;
};

/// What the backward pass reads.
struct Kept {
  at::Tensor x, inner_weight, outer_weight;
  double scale = 1.0;  ///< by which dropout multiplies what it keeps
};

/// \param hidden [rows, d_ff] behind relu and dropout
NetworkGradients dense_gradients(const Kept& kept, const at::Tensor& hidden, const at::Tensor& g) {
  auto of_hidden = at::threshold_backward(at::mm(g, kept.outer_weight), hidden, 0);
  if (kept.scale != 1.0) of_hidden.mul_(kept.scale);
  return {.x = at::mm(of_hidden, kept.inner_weight),
          .inner_weight = at::mm(of_hidden.t(), kept.x),
          .inner_bias = of_hidden.sum(0),
          .outer_weight = at::mm(g.t(), hidden),
          .outer_bias = g.sum(0)};
}

NetworkGradients sparse_gradients(const Kept& kept, const SparseMatrix& hidden,
                                  const at::Tensor& g) {
  auto by_feature = transposition_of(hidden);
  by_feature.take(hidden.values);
  NetworkGradients gradients;
  gradients.outer_weight = multiply(by_feature.matrix, panels_of(g), {}, g.options()).t();
  gradients.outer_bias = g.sum(0);
  auto of_hidden = hidden;
  const auto outer = panels_of_transposed(kept.outer_weight);
  at::parallel_for(0, hidden.rows(), 16, [&](std::int64_t first, std::int64_t last) {
    multiply_at_places(hidden, g.const_data_ptr<float>(), outer, of_hidden.values.data(), first,
                       last);
  });
  for (auto& value : of_hidden.values) value *= static_cast<float>(kept.scale);
  by_feature.take(of_hidden.values);
  gradients.x = multiply(of_hidden, panels_of(kept.inner_weight), {}, g.options());
  gradients.inner_weight = multiply(by_feature.matrix, panels_of(kept.x), {}, g.options());
  gradients.inner_bias = row_sums(by_feature.matrix, g.options());
  return gradients;
}

class ReluNetwork : public torch::autograd::Function<ReluNetwork> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x,
                            const at::Tensor& inner_weight,
                            const std::optional<at::Tensor>& inner_bias,
                            const at::Tensor& outer_weight,
                            const std::optional<at::Tensor>& outer_bias, double dropout) {
    const auto behind_relu = linear(x, inner_weight, inner_bias.value_or(at::Tensor())).relu_();
    const auto hidden = dragoman::dropout(behind_relu, dropout, /*training=*/true).contiguous();
    const auto kept = c10::make_intrusive<Hidden>();
    const bool sparse = list_nonzero(hidden.const_data_ptr<float>(), hidden.size(0), hidden.size(1),
                                     most_nonzero, kept->numbers);
    context->save_for_backward({x, inner_weight, outer_weight, sparse ? at::Tensor() : hidden});
    if (sparse) context->saved_data["hidden"] = c10::IValue::make_capsule(kept);
    context->saved_data["scale"] = 1.0 / (1.0 - dropout);
    const auto bias = outer_bias.value_or(at::Tensor());
    return sparse ? multiply(kept->numbers, panels_of_transposed(outer_weight), bias, x.options())
                  : linear(hidden, outer_weight, bias);
  }

  static variable_list backward(AutogradContext* context, const variable_list& outer) {
    const auto saved = context->get_saved_variables();
    const Kept kept{.x = saved[0],
                    .inner_weight = saved[1],
                    .outer_weight = saved[2],
                    .scale = context->saved_data["scale"].toDouble()};
    const auto g = outer[0].contiguous();
    const auto gradients = saved[3].defined()
                               ? dense_gradients(kept, saved[3], g)
                               : sparse_gradients(kept,
                                                  c10::static_intrusive_pointer_cast<Hidden>(
                                                      context->saved_data["hidden"].toCapsule())
                                                      ->numbers,
                                                  g);
    return {gradients.x,
            gradients.inner_weight,
            context->needs_input_grad(2) ? gradients.inner_bias : at::Tensor(),
            gradients.outer_weight,
            context->needs_input_grad(4) ? gradients.outer_bias : at::Tensor(),
            at::Tensor()};
  }
};

std::optional<at::Tensor> if_given(const at::Tensor& x) {
  return x.defined() ? std::optional(x) : std::nullopt;
}

bool is_float_on_cpu(const at::Tensor& x) {
  return !x.defined() || (x.is_cpu() && x.scalar_type() == at::kFloat && x.is_contiguous());
}

}  // namespace

bool suits_relu_network(const at::Tensor& x, const LinearMap& inner, const LinearMap& outer) {
  return at::GradMode::is_enabled() && !at::autocast::is_autocast_enabled(at::kCPU) && x.is_cpu() &&
         x.scalar_type() == at::kFloat && is_float_on_cpu(inner.weight) &&
         is_float_on_cpu(inner.bias) && is_float_on_cpu(outer.weight) &&
         is_float_on_cpu(outer.bias) && x.size(-1) % small::lanes == 0 &&
         outer.weight.size(0) % small::lanes == 0 && inner.weight.numel() > 0;
}

at::Tensor relu_network(const at::Tensor& x, const LinearMap& inner, const LinearMap& outer,
                        double dropout) {
  auto sizes = x.sizes().vec();
  sizes.back() = outer.weight.size(0);
  const auto rows =
      ReluNetwork::apply(x.reshape({-1, x.size(-1)}).contiguous(), inner.weight,
                         if_given(inner.bias), outer.weight, if_given(outer.bias), dropout);
  return at::_unsafe_view(rows, sizes);
}

}  // namespace dragoman
