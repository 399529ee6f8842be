#include "dragoman/loss/device_loss.h"

#include <ATen/autocast_mode.h>
#include <torch/nn.h>

#include <algorithm>
#include <optional>

namespace dragoman {

namespace {

/// Some rows, each with its target.
struct LossRows {
  at::Tensor logits;            ///< [rows, vocab_size] in the type of the products
  at::Tensor log_probs;         ///< [rows, vocab_size] in that of the weight
  at::Tensor targets;           ///< [rows, 1] int64
  at::Tensor target_log_probs;  ///< [rows, 1]

  LossRows(const at::Tensor& logits_of_rows, const at::Tensor& targets_of_rows, at::ScalarType type)
      : logits(logits_of_rows),
        log_probs(at::log_softmax(logits, 1, type)),
        targets(targets_of_rows),
        target_log_probs(log_probs.gather(1, targets)) {}
};

/// The loss of some rows, as `Loss::sums`.
at::Tensor sums_of_rows(const LossRows& rows, const SmoothedTarget& target) {
  const auto [smoothed, nll] = cross_entropies(rows.log_probs, rows.target_log_probs, target);
  const auto best = rows.logits.argmax(1, /*keepdim=*/true);
  const auto right = (best == rows.targets).sum().to(torch::kFloat64);
  return at::stack({smoothed, nll, right, at::zeros_like(nll)});
}

/// The gradient of the logits, softmax - q, in the type of the products. That of the target, a
/// small difference of larger numbers, is rounded once.
at::Tensor gradient_of_logits(const LossRows& rows, const SmoothedTarget& target) {
  auto of_targets = rows.target_log_probs.exp().sub_(target.extra + target.spread);
  auto gradient = at::empty_like(rows.logits);
  at::exp_out(gradient, rows.log_probs);
  if (target.spread != 0.0) gradient.sub_(target.spread);
  if (target.excluded >= 0) {
    gradient.select(1, target.excluded).add_(target.spread);
    of_targets.add_((rows.targets == target.excluded).to(of_targets.scalar_type()), target.spread);
  }
  return gradient.scatter_(1, rows.targets, of_targets.to(gradient.scalar_type()));
}

/// Gradients of hidden rows, weight and bias, accumulated over chunks of rows.
struct OutputGradients {
  at::Tensor hidden, weight, bias;

  /// \param gradient of the logits of these rows
  void add(std::int64_t begin, const at::Tensor& gradient, const at::Tensor& rows,
           const at::Tensor& w) {
    hidden.narrow(0, begin, rows.size(0)).copy_(at::mm(gradient, w));
    // The sum is in float32, without a rounded product.
    if (weight.is_cuda() && weight.scalar_type() == torch::kFloat32 &&
        rows.scalar_type() == torch::kBFloat16)
      at::addmm_out(weight, weight, gradient.t(), rows, torch::kFloat32);
    else
      weight.add_(at::mm(gradient.t(), rows));
    if (bias.defined()) bias.add_(gradient.sum(at::IntArrayRef{0}, false, bias.scalar_type()));
  }
};

class DeviceLossFunction : public torch::autograd::Function<DeviceLossFunction> {
 public:
  static torch::autograd::variable_list forward(torch::autograd::AutogradContext* context,
                                                const at::Tensor& hidden, const at::Tensor& weight,
                                                const std::optional<at::Tensor>& bias,
                                                const LossOfDeviceChunk& loss_of_chunk,
                                                std::int64_t rows_at_once, bool with_gradient) {
    const bool short_products = at::autocast::is_autocast_enabled(hidden.device().type());
    const auto type = short_products ? torch::kBFloat16 : weight.scalar_type();
    const auto h = hidden.to(type), w = weight.to(type);
    OutputGradients gradients;
    if (with_gradient)
      gradients = {at::empty_like(hidden), at::zeros_like(weight),
                   bias ? at::zeros_like(*bias) : at::Tensor()};
    auto sums = at::zeros({Loss::numbers}, hidden.options().dtype(torch::kFloat64));
    for (std::int64_t begin = 0; begin < hidden.size(0); begin += rows_at_once) {
      const auto count = std::min(rows_at_once, hidden.size(0) - begin);
      const auto hidden_rows = h.narrow(0, begin, count);
      const auto logits =
          bias ? at::addmm(bias->to(type), hidden_rows, w.t()) : at::mm(hidden_rows, w.t());
      const auto loss = loss_of_chunk({.logits = logits,
                                       .first = begin,
                                       .type = weight.scalar_type(),
                                       .with_gradient = with_gradient});
      sums.add_(loss.sums);
      if (with_gradient) gradients.add(begin, loss.gradient, hidden_rows, w);
    }
    context->saved_data["hidden"] = gradients.hidden;
    context->saved_data["weight"] = gradients.weight;
    context->saved_data["bias"] = gradients.bias;
    context->mark_non_differentiable({sums});
    return {sums.select(0, Loss::minimised).to(weight.scalar_type()), sums};
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& outer) {
    const auto scaled = [&](const char* name) {
      const auto gradient = context->saved_data[name].toTensor();
      return gradient.defined() ? gradient.mul_(outer[0]) : gradient;
    };
    return {scaled("hidden"), scaled("weight"), scaled("bias"), {}, {}, {}};
  }
};

}  // namespace

CrossEntropies cross_entropies(const at::Tensor& log_probs, const at::Tensor& of_targets,
                               const SmoothedTarget& target) {
  const auto nll = -of_targets.sum(torch::kFloat64);
  // A row's sum is taken in the type of its numbers, which saves a copy in float64.
  auto spread = log_probs.sum(-1).sum(torch::kFloat64);
  if (target.excluded >= 0)
    spread = spread - log_probs.select(1, target.excluded).sum(torch::kFloat64);
  return {nll * target.extra - spread * target.spread, nll};
}

Loss device_loss(const OutputLayer& layer, std::int64_t tokens, std::int64_t rows_at_once,
                 const LossOfDeviceChunk& loss_of_chunk) {
  const auto& [hidden, weight, bias] = layer;
  const bool with_gradient =
      at::GradMode::is_enabled() && (hidden.requires_grad() || weight.requires_grad());
  const auto results =
      DeviceLossFunction::apply(hidden, weight, bias.defined() ? std::optional(bias) : std::nullopt,
                                loss_of_chunk, rows_at_once, with_gradient);
  return {.sum = results[0], .sums = results[1], .tokens = tokens};
}

Loss device_loss(const OutputLayer& layer, const at::Tensor& targets, const SmoothedTarget& target,
                 std::int64_t largest_chunk) {
  const auto columns = targets.unsqueeze(1);
  const auto loss_of_chunk = [&](const DeviceChunk& chunk) {
    const LossRows rows(chunk.logits, columns.narrow(0, chunk.first, chunk.logits.size(0)),
                        chunk.type);
    return DeviceChunkLoss{
        .sums = sums_of_rows(rows, target),
        .gradient = chunk.with_gradient ? gradient_of_logits(rows, target) : at::Tensor()};
  };
  return device_loss(layer, targets.size(0),
                     std::max<std::int64_t>(1, largest_chunk / layer.vocab_size()), loss_of_chunk);
}

}  // namespace dragoman
