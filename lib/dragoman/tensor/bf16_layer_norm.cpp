#include "dragoman/tensor/bf16_layer_norm.h"

#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/types.h>

#include <tuple>

namespace dragoman {

namespace {

class Bf16LayerNorm : public torch::autograd::Function<Bf16LayerNorm> {
 public:
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& x,
                            const at::Tensor& gamma, const at::Tensor& beta,
                            const at::Tensor& bf16_gamma, const at::Tensor& bf16_beta, double eps) {
    // Autocast would compute a float32 copy.
    const c10::impl::ExcludeDispatchKeyGuard no_autocast(c10::autocast_dispatch_keyset);
    const auto input = x.contiguous();
    const auto [result, mean, inverse_deviation] =
        at::native_layer_norm(input, bf16_gamma.sizes(), bf16_gamma, bf16_beta, eps);
    context->save_for_backward(
        {input, gamma, beta, bf16_gamma, bf16_beta, mean, inverse_deviation});
    return result;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& gradients) {
    const auto saved = context->get_saved_variables();
    const auto &gamma = saved[1], &beta = saved[2];
    const bool learns = gamma.requires_grad();
    const auto [of_x, of_gamma, of_beta] = at::native_layer_norm_backward(
        gradients[0].contiguous(), saved[0], saved[3].sizes(), saved[5], saved[6], saved[3],
        saved[4], {context->needs_input_grad(0), learns, learns});
    if (learns) {
      kept_gradient(gamma).add_(of_gamma);
      kept_gradient(beta).add_(of_beta);
    }
    torch::autograd::variable_list results(6);
    results[0] = of_x;
    return results;
  }
};

}  // namespace

at::Tensor bf16_layer_norm(const at::Tensor& x, const LinearMap& parameters,
                           const LinearMap& rounded, double eps) {
  return Bf16LayerNorm::apply(x, parameters.weight, parameters.bias, rounded.weight, rounded.bias,
                              eps);
}

}  // namespace dragoman
