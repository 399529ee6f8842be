#include "dragoman/tensor/relu_network.h"

#include "dragoman/kernels/small_vector.h"
#include "dragoman/kernels/sparse_products.h"
#include "dragoman/tensor/dropout.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/autocast_mode.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/custom_class.h>

#include <memory>
#include <optional>
#include <vector>

namespace dragoman {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// The share of numbers that are not zero up to which leaving out the others is faster, in all
/// products together.
constexpr double most_nonzero = 0.25;

constexpr std::int64_t some_rows = 64;  // worth a thread

/// What is behind relu and dropout, [rows, d_ff]. It lives as long as a tensor that autograd saves
/// and frees.
struct Hidden : torch::CustomClassHolder {
  std::weak_ptr<SparseMatrix> numbers;
};

/// A tensor that keeps `numbers` alive.
at::Tensor keeper_of(const std::shared_ptr<SparseMatrix>& numbers) {
  return at::from_blob(
      numbers->values.data(), {numbers->count()}, [numbers](void*) {},
      at::TensorOptions(at::kFloat));
}

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
  at::parallel_for(0, a.rows(), some_rows, [&](std::int64_t first, std::int64_t last) {
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
  at::parallel_for(0, hidden.rows(), some_rows, [&](std::int64_t first, std::int64_t last) {
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
    const auto behind_relu = at::linear(x, inner_weight, inner_bias).relu_();
    const auto hidden = dragoman::dropout(behind_relu, dropout, /*training=*/true).contiguous();
    const auto numbers = std::make_shared<SparseMatrix>();
    const bool sparse = list_nonzero(hidden.const_data_ptr<float>(), hidden.size(0), hidden.size(1),
                                     most_nonzero, *numbers);
    context->save_for_backward(
        {x, inner_weight, outer_weight, sparse ? keeper_of(numbers) : hidden});
    if (sparse) {
      const auto kept = c10::make_intrusive<Hidden>();
      kept->numbers = numbers;
      context->saved_data["hidden"] = c10::IValue::make_capsule(kept);
    }
    context->saved_data["scale"] = 1.0 / (1.0 - dropout);
    context->saved_data["inner_bias"] = inner_bias.has_value();
    context->saved_data["outer_bias"] = outer_bias.has_value();
    return sparse ? multiply(*numbers, panels_of_transposed(outer_weight),
                             outer_bias.value_or(at::Tensor()), x.options())
                  : at::linear(hidden, outer_weight, outer_bias);
  }

  static variable_list backward(AutogradContext* context, const variable_list& outer) {
    const auto saved = context->get_saved_variables();
    auto& data = context->saved_data;
    const Kept kept{.x = saved[0],
                    .inner_weight = saved[1],
                    .outer_weight = saved[2],
                    .scale = data["scale"].toDouble()};
    const auto g = outer[0].contiguous();
    const auto sparse = data.find("hidden");
    const auto gradients =
        sparse == data.end()
            ? dense_gradients(kept, saved[3], g)
            : sparse_gradients(
                  kept,
                  *c10::static_intrusive_pointer_cast<Hidden>(sparse->second.toCapsule())
                       ->numbers.lock(),
                  g);
    return {gradients.x,
            gradients.inner_weight,
            data["inner_bias"].toBool() ? gradients.inner_bias : at::Tensor(),
            gradients.outer_weight,
            data["outer_bias"].toBool() ? gradients.outer_bias : at::Tensor(),
            at::Tensor()};
  }
};

std::optional<at::Tensor> if_given(const at::Tensor& x) {
  return x.defined() ? std::optional(x) : std::nullopt;
}

bool is_float_on_cpu(const at::Tensor& x) { return x.is_cpu() && x.scalar_type() == at::kFloat; }

bool can_be_read(const at::Tensor& parameter) {
  return !parameter.defined() || (is_float_on_cpu(parameter) && parameter.is_contiguous());
}

}  // namespace

bool suits_relu_network(const at::Tensor& x, const LinearMap& inner, const LinearMap& outer) {
  const bool readable = is_float_on_cpu(x) && can_be_read(inner.weight) &&
                        can_be_read(inner.bias) && can_be_read(outer.weight) &&
                        can_be_read(outer.bias);
  return readable && at::GradMode::is_enabled() && !at::autocast::is_autocast_enabled(at::kCPU) &&
         x.size(-1) % small::lanes == 0 && outer.weight.size(0) % small::lanes == 0 &&
         inner.weight.numel() > 0;
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
