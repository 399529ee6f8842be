#include "dragoman/train/label_smoothing.h"

#include "dragoman/train/chunked_loss.h"

#include <ATen/autocast_mode.h>
#include <torch/nn.h>

#include <cmath>

namespace dragoman {

namespace {

double uniform_mass(const LabelSmoothing& smoothing, std::int64_t vocab_size) {
  const auto classes = smoothing.kind == SmoothingKind::uniform ? vocab_size : vocab_size - 2;
  return smoothing.eps / static_cast<double>(classes);
}

}  // namespace

SmoothedTarget smoothed_target(const LabelSmoothing& smoothing, std::int64_t vocab_size) {
  const double mass = uniform_mass(smoothing, vocab_size);
  const bool exclude = smoothing.kind == SmoothingKind::exclude;
  return {.spread = mass,
          .extra = 1.0 - smoothing.eps - (exclude ? mass : 0.0),
          .excluded = exclude ? smoothing.pad : -1};
}

Loss generator_loss(const at::Tensor& hidden, const at::Tensor& weight, const at::Tensor& bias,
                    const at::Tensor& targets, const LabelSmoothing& smoothing) {
  const bool fused = hidden.is_cpu() && weight.scalar_type() == torch::kFloat32;
  if (!fused)
    return label_smoothed_cross_entropy(at::linear(hidden, weight, bias), targets, smoothing);
  const auto type =
      at::autocast::is_autocast_enabled(at::kCPU) ? torch::kBFloat16 : torch::kFloat32;
  const auto loss =
      chunked_loss(hidden, weight, bias, targets, smoothed_target(smoothing, weight.size(0)), type);
  const auto* sums = loss.sums.const_data_ptr<double>();
  return {.sum = loss.value,
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
