#include "dragoman/train/label_smoothing.h"

#include "dragoman/train/fused_loss.h"

#include <ATen/autocast_mode.h>
#include <torch/nn.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace dragoman {

namespace {

constexpr std::int64_t chunk_rows = 256;

/// Output layer and loss with the gradient made on the way forward (the incoming gradient is a
/// scalar, so it can be multiplied in later).
class ChunkedLoss : public torch::autograd::Function<ChunkedLoss> {
 public:
  static torch::autograd::variable_list forward(torch::autograd::AutogradContext* context,
                                                const at::Tensor& hidden, const at::Tensor& weight,
                                                const std::optional<at::Tensor>& given_bias,
                                                const at::Tensor& targets,
                                                const SmoothedTarget& target, bool short_products) {
    const auto bias = given_bias.value_or(at::Tensor());
    const auto rows = hidden.size(0);
    const bool with_gradient = hidden.requires_grad() || weight.requires_grad();
    const auto type = short_products ? torch::kBFloat16 : torch::kFloat32;
    const auto h = hidden.to(type).contiguous();
    const auto w = weight.to(type).contiguous();
    auto sums = torch::zeros({3}, torch::kFloat64);
    at::Tensor hidden_gradient, weight_gradient, bias_gradient;
    if (with_gradient) {
      hidden_gradient = torch::empty(hidden.sizes(), torch::kFloat32);
      weight_gradient = torch::zeros(weight.sizes(), torch::kFloat32);
      if (bias.defined()) bias_gradient = torch::zeros(bias.sizes(), torch::kFloat32);
    }
    for (std::int64_t begin = 0; begin < rows; begin += chunk_rows) {
      const auto count = std::min(chunk_rows, rows - begin);
      const auto part = h.narrow(0, begin, count);
      auto logits = at::mm(part, w.t()).to(torch::kFloat32);
      if (bias.defined()) logits.add_(bias);
      smoothed_loss_rows(logits, targets.narrow(0, begin, count), target, with_gradient,
                         sums.mutable_data_ptr<double>());
      if (!with_gradient) continue;
      const auto gradient = logits.to(type);
      hidden_gradient.narrow(0, begin, count).copy_(at::mm(gradient, w));
      if (short_products) {
        weight_gradient.add_(at::mm(gradient.t(), part));
      } else {
        weight_gradient.addmm_(gradient.t(), part);
      }
      if (bias.defined()) bias_gradient.add_(logits.sum(0));
    }
    context->saved_data["hidden"] = hidden_gradient;
    context->saved_data["weight"] = weight_gradient;
    context->saved_data["bias"] = bias_gradient;
    context->saved_data["type"] = static_cast<std::int64_t>(hidden.scalar_type());
    auto loss = sums.select(0, 0).clone().to(torch::kFloat32);
    context->mark_non_differentiable({sums});
    return {loss, sums};
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& gradients) {
    const auto factor = gradients[0].item<double>();
    const auto take = [&](const char* name) {
      const auto saved = context->saved_data[name].toTensor();
      return saved.defined() ? saved.mul_(factor) : saved;
    };
    const auto type = static_cast<at::ScalarType>(context->saved_data["type"].toInt());
    return {take("hidden").to(type), take("weight"), take("bias"), {}, {}, {}};
  }
};

double uniform_mass(const LabelSmoothing& smoothing, std::int64_t vocab_size) {
  const auto classes = smoothing.kind == SmoothingKind::uniform ? vocab_size : vocab_size - 2;
  return smoothing.eps / static_cast<double>(classes);
}

SmoothedTarget smoothed_target(const LabelSmoothing& smoothing, std::int64_t vocab_size) {
  const double mass = uniform_mass(smoothing, vocab_size);
  const bool exclude = smoothing.kind == SmoothingKind::exclude;
  return {.spread = mass,
          .extra = 1.0 - smoothing.eps - (exclude ? mass : 0.0),
          .excluded = exclude ? smoothing.pad : -1};
}

}  // namespace

Loss generator_loss(const at::Tensor& hidden, const at::Tensor& weight, const at::Tensor& bias,
                    const at::Tensor& targets, const LabelSmoothing& smoothing) {
  const bool fused = hidden.is_cpu() && weight.scalar_type() == torch::kFloat32;
  if (!fused)
    return label_smoothed_cross_entropy(at::linear(hidden, weight, bias), targets, smoothing);
  const bool short_products = at::autocast::is_autocast_enabled(at::kCPU);
  const auto given_bias = bias.defined() ? std::optional(bias) : std::nullopt;
  const auto results = ChunkedLoss::apply(hidden, weight, given_bias, targets,
                                          smoothed_target(smoothing, weight.size(0)),
                                          short_products);
  const auto* sums = results[1].const_data_ptr<double>();
  return {.sum = results[0],
          .nll = sums[1],
          .correct = static_cast<std::int64_t>(sums[2]),
          .tokens = targets.size(0)};
}

Loss label_smoothed_cross_entropy(const at::Tensor& logits, const at::Tensor& targets,
                                  const LabelSmoothing& smoothing) {
  const auto wide = logits.scalar_type() == torch::kFloat64 ? logits : logits.to(torch::kFloat32);
  const auto log_probs = torch::log_softmax(wide, -1);
  const auto target = smoothed_target(smoothing, logits.size(-1));
  const auto of_target = log_probs.gather(-1, targets.unsqueeze(-1)).sum();
  auto spread = log_probs.sum();
  if (target.excluded >= 0) spread = spread - log_probs.select(-1, target.excluded).sum();
  const auto nll = -of_target;
  return {.sum = nll * target.extra - spread * target.spread,
          .nll = nll.item<double>(),
          .correct = (wide.argmax(-1) == targets).sum().item<std::int64_t>(),
          .tokens = targets.size(0)};
}

double smoothed_entropy(const LabelSmoothing& smoothing, std::int64_t vocab_size) {
  if (smoothing.eps == 0.0) return 0.0;
  const double mass = uniform_mass(smoothing, vocab_size);
  const auto target = smoothed_target(smoothing, vocab_size);
  const double peak = target.extra + mass;
  const auto others = smoothing.kind == SmoothingKind::uniform ? vocab_size - 1 : vocab_size - 2;
  return -peak * std::log(peak) - static_cast<double>(others) * mass * std::log(mass);
}

}  // namespace dragoman
