#include "dragoman/loss/loss.h"

#include "dragoman/loss/cpu_loss.h"
#include "dragoman/loss/device_loss.h"

#include <torch/nn.h>

namespace dragoman {

LabelSmoothing smoothing_of(const TrainOptions& options, std::int64_t pad) {
  return {.eps = options.label_smoothing, .kind = options.label_smoothing_kind, .pad = pad};
}

SmoothedTarget smoothed_target(const LabelSmoothing& smoothing, std::int64_t vocab_size) {
  const bool exclude = smoothing.kind == SmoothingKind::exclude;
  const double mass = smoothing.eps / static_cast<double>(exclude ? vocab_size - 2 : vocab_size);
  return {.spread = mass,
          .extra = 1.0 - smoothing.eps - (exclude ? mass : 0.0),
          .excluded = exclude ? smoothing.pad : -1};
}

Loss generator_loss(const at::Tensor& hidden, const at::Tensor& weight, const at::Tensor& bias,
                    const at::Tensor& targets, const LabelSmoothing& smoothing) {
  const auto target = smoothed_target(smoothing, weight.size(0));
  if (!hidden.is_cpu()) return device_loss({hidden, weight, bias}, targets, target);
  if (weight.scalar_type() == torch::kFloat32)
    return cpu_loss({hidden, weight, bias}, targets, target);
  return label_smoothed_cross_entropy(at::linear(hidden, weight, bias), targets, smoothing);
}

Loss label_smoothed_cross_entropy(const at::Tensor& logits, const at::Tensor& targets,
                                  const LabelSmoothing& smoothing) {
  const auto wide = logits.scalar_type() == torch::kFloat64 ? logits : logits.to(torch::kFloat32);
  const auto log_probs = torch::log_softmax(wide, -1);
  const auto target = smoothed_target(smoothing, logits.size(-1));
  const auto nll = -log_probs.gather(-1, targets.unsqueeze(-1)).sum();
  auto spread = log_probs.sum();
  if (target.excluded >= 0) spread = spread - log_probs.select(-1, target.excluded).sum();
  const auto sum = nll * target.extra - spread * target.spread;
  const auto correct = (wide.argmax(-1) == targets).sum();
  const auto number = [](const at::Tensor& x) { return x.detach().to(torch::kFloat64); };
  return {.sum = sum,
          .sums = torch::stack(
              {number(sum), number(nll), number(correct), number(torch::zeros_like(nll))}),
          .tokens = targets.size(0)};
}

PassSums pass_sums(const double* numbers, std::int64_t tokens) {
  return {.loss = numbers[Loss::minimised],
          .nll = numbers[Loss::nll],
          .consistency = numbers[Loss::consistency],
          .correct = static_cast<std::int64_t>(numbers[Loss::correct]),
          .tokens = tokens};
}

void LossTally::add(const Loss& loss) {
  sums_ = sums_.defined() ? sums_ + loss.sums : loss.sums;
  tokens_ += loss.tokens;
}

PassSums LossTally::sums() const {
  if (!sums_.defined()) return {.tokens = tokens_};
  const auto host = sums_.cpu();
  return pass_sums(host.const_data_ptr<double>(), tokens_);
}

}  // namespace dragoman
