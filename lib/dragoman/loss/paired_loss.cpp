#include "dragoman/loss/paired_loss.h"

#include <torch/types.h>

namespace dragoman {

namespace {

/// KL(p || q), summed over the rows. \param log_p, log_q [tokens, vocab_size]
at::Tensor divergence(const at::Tensor& log_p, const at::Tensor& log_q) {
  return (log_p.exp() * (log_p - log_q)).sum();
}

}  // namespace

PairWeights pair_weights(const TrainOptions& options) {
  const double alpha = options.consistency_weight;
  if (options.consistency == Consistency::simcut)
    return {.first = 1.0, .second = 0.0, .forward_kl = alpha, .backward_kl = 0.0};
  return {.first = 0.5, .second = 0.5, .forward_kl = alpha / 4.0, .backward_kl = alpha / 4.0};
}

Loss paired_loss(const OutputLayer& layer, const at::Tensor& targets,
                 const LabelSmoothing& smoothing, const PairWeights& weights) {
  const PairedTarget paired{.target = smoothed_target(smoothing, layer.vocab_size()),
                            .weights = weights};
  if (!layer.hidden.is_cpu()) return device_paired_loss(layer, targets, paired);
  if (layer.weight.scalar_type() == torch::kFloat32)
    return cpu_loss(layer, targets.size(0), paired_loss_rows(targets, paired));
  return paired_cross_entropy(at::linear(layer.hidden, layer.weight, layer.bias), targets,
                              smoothing, weights);
}

Loss paired_cross_entropy(const at::Tensor& logits, const at::Tensor& targets,
                          const LabelSmoothing& smoothing, const PairWeights& weights) {
  const auto pairs = logits.view({targets.size(0), 2, logits.size(1)});
  const auto one = pairs.select(1, 0), other = pairs.select(1, 1);
  const auto p = label_smoothed_cross_entropy(one, targets, smoothing),
             q = label_smoothed_cross_entropy(other, targets, smoothing);
  const auto log_p = torch::log_softmax(one, -1), log_q = torch::log_softmax(other, -1);
  const auto consistency = weights.forward_kl * divergence(log_p, log_q) +
                           weights.backward_kl * divergence(log_q, log_p);
  const auto sum = weights.first * p.sum + weights.second * q.sum + consistency;
  auto sums = weights.first * p.sums + weights.second * q.sums;
  sums[Loss::minimised] = sum.detach();
  sums[Loss::correct] = p.sums[Loss::correct];
  sums[Loss::consistency] = consistency.detach();
  return {.sum = sum, .sums = sums, .tokens = targets.size(0)};
}

}  // namespace dragoman
