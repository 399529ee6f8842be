#include "dragoman/train/device_loss.h"

#include <ATen/autocast_mode.h>
#include <torch/nn.h>

#include <algorithm>
#include <optional>

namespace dragoman {

namespace {

/// The loss of some rows: [smoothed, unsmoothed, correct], float64.
at::Tensor sums_of_rows(const at::Tensor& log_probs, const at::Tensor& targets,
                        const SmoothedTarget& target) {
  const auto nll = -log_probs.gather(1, targets).sum(torch::kFloat64);
  auto spread = log_probs.sum(torch::kFloat64);
  if (target.excluded >= 0)
    spread = spread - log_probs.select(1, target.excluded).sum(torch::kFloat64);
  const auto right = (log_probs.argmax(1, /*keepdim=*/true) == targets).sum().to(torch::kFloat64);
  return at::stack({nll * target.extra - spread * target.spread, nll, right});
}

/// Turns log-probabilities into the gradient of the logits: the total mass of q times softmax,
/// minus q.
void turn_into_gradient(at::Tensor& log_probs, const at::Tensor& targets,
                        const SmoothedTarget& target) {
  const auto classes = log_probs.size(1) - (target.excluded >= 0 ? 1 : 0);
  const double mass = target.extra + target.spread * static_cast<double>(classes);
  log_probs.exp_().mul_(mass).sub_(target.spread);
  if (target.excluded >= 0) log_probs.select(1, target.excluded).add_(target.spread);
  log_probs.scatter_add_(1, targets,
                         at::full({1, 1}, -target.extra, log_probs.options()).expand_as(targets));
}

/// Gradients of hidden rows, weight and bias, accumulated over chunks of rows.
struct OutputGradients {
  at::Tensor hidden, weight, bias;

  void add(std::int64_t begin, const at::Tensor& logits, const at::Tensor& rows,
           const at::Tensor& w) {
    const auto gradient = logits.to(w.scalar_type());
    hidden.narrow(0, begin, rows.size(0)).copy_(at::mm(gradient, w));
    weight.add_(at::mm(gradient.t(), rows));
    if (bias.defined()) bias.add_(logits.sum(0));
  }
};

class DeviceLossFunction : public torch::autograd::Function<DeviceLossFunction> {
 public:
  static torch::autograd::variable_list forward(torch::autograd::AutogradContext* context,
                                                const at::Tensor& hidden, const at::Tensor& weight,
                                                const std::optional<at::Tensor>& bias,
                                                const at::Tensor& targets,
                                                const SmoothedTarget& target,
                                                std::int64_t rows_at_once, bool with_gradient) {
    const bool short_products = at::autocast::is_autocast_enabled(hidden.device().type());
    const auto type = short_products ? torch::kBFloat16 : weight.scalar_type();
    const auto h = hidden.to(type), w = weight.to(type);
    const auto columns = targets.unsqueeze(1);
    OutputGradients gradients;
    if (with_gradient)
      gradients = {at::empty_like(hidden), at::zeros_like(weight),
                   bias ? at::zeros_like(*bias) : at::Tensor()};
    auto sums = at::zeros({3}, hidden.options().dtype(torch::kFloat64));
    for (std::int64_t begin = 0; begin < hidden.size(0); begin += rows_at_once) {
      const auto count = std::min(rows_at_once, hidden.size(0) - begin);
      const auto rows = h.narrow(0, begin, count), chunk_targets = columns.narrow(0, begin, count);
      auto logits = at::mm(rows, w.t()).to(weight.scalar_type());
      if (bias) logits.add_(*bias);
      auto log_probs = at::log_softmax(logits, 1);
      sums.add_(sums_of_rows(log_probs, chunk_targets, target));
      if (!with_gradient) continue;
      turn_into_gradient(log_probs, chunk_targets, target);
      gradients.add(begin, log_probs, rows, w);
    }
    context->saved_data["hidden"] = gradients.hidden;
    context->saved_data["weight"] = gradients.weight;
    context->saved_data["bias"] = gradients.bias;
    context->mark_non_differentiable({sums});
    return {sums.select(0, 0).to(weight.scalar_type()), sums};
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& outer) {
    const auto scaled = [&](const char* name) {
      const auto gradient = context->saved_data[name].toTensor();
      return gradient.defined() ? gradient.mul_(outer[0]) : gradient;
    };
    return {scaled("hidden"), scaled("weight"), scaled("bias"), {}, {}, {}, {}};
  }
};

}  // namespace

Loss device_loss(const at::Tensor& hidden, const at::Tensor& weight, const at::Tensor& bias,
                 const at::Tensor& targets, const SmoothedTarget& target,
                 std::int64_t largest_chunk) {
  const auto vocab_size = weight.size(0);
  const bool with_gradient =
      at::GradMode::is_enabled() && (hidden.requires_grad() || weight.requires_grad());
  const auto results = DeviceLossFunction::apply(
      hidden, weight, bias.defined() ? std::optional(bias) : std::nullopt, targets, target,
      std::max<std::int64_t>(1, largest_chunk / vocab_size), with_gradient);
  return {.sum = results[0], .sums = results[1], .tokens = targets.size(0)};
}

}  // namespace dragoman
