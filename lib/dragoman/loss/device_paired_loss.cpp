#include "dragoman/loss/device_loss.h"
#include "dragoman/loss/paired_loss.h"

#include <torch/types.h>

#include <algorithm>

namespace dragoman {

namespace {

/// Both passes over some targets.
struct PairChunk {
  at::Tensor logits;             ///< [targets, 2, vocab_size] in the type of the products
  at::Tensor log_p, log_q;       ///< [targets, vocab_size] in that of the weights
  at::Tensor forward, backward;  ///< [targets, 1]: KL(p || q), KL(q || p)
  at::Tensor targets;            ///< [targets, 1] int64

  PairChunk(const DeviceChunk& chunk, const at::Tensor& targets_of_chunk)
      : logits(chunk.logits.view({targets_of_chunk.size(0), 2, chunk.logits.size(1)})),
        targets(targets_of_chunk) {
    const auto log_probs = at::log_softmax(logits, 2, chunk.type);
    log_p = log_probs.select(1, 0);
    log_q = log_probs.select(1, 1);
    const auto difference = log_p - log_q;
    forward = (log_p.exp() * difference).sum(1, /*keepdim=*/true);
    backward = -(log_q.exp() * difference).sum(1, /*keepdim=*/true);
  }
};

at::Tensor wide_sum(const at::Tensor& x) { return x.sum(torch::kFloat64); }

at::Tensor sums_of_pairs(const PairChunk& chunk, const PairedTarget& paired) {
  const auto& [target, weights] = paired;
  const auto p = cross_entropies(chunk.log_p, chunk.log_p.gather(1, chunk.targets), target),
             q = cross_entropies(chunk.log_q, chunk.log_q.gather(1, chunk.targets), target);
  const auto consistency =
      weights.forward_kl * wide_sum(chunk.forward) + weights.backward_kl * wide_sum(chunk.backward);
  const auto best = chunk.logits.select(1, 0).argmax(1, /*keepdim=*/true);
  return at::stack({weights.first * p.smoothed + weights.second * q.smoothed + consistency,
                    weights.first * p.nll + weights.second * q.nll, wide_sum(best == chunk.targets),
                    consistency});
}

/// Adds the gradient of `weight` times the cross-entropy, without that of the softmax.
void subtract_target(at::Tensor& gradient, const at::Tensor& targets, const SmoothedTarget& target,
                     double weight) {
  if (target.spread != 0.0) gradient.sub_(weight * target.spread);
  if (target.excluded >= 0) gradient.select(1, target.excluded).add_(weight * target.spread);
  gradient.scatter_add_(1, targets,
                        torch::full(targets.sizes(), -weight * target.extra, gradient.options()));
}

/// With d = log p - log q: dKL(p || q) is p (d - KL(p || q)) for the logits of p and q - p for
/// those of q.
at::Tensor gradient_of_pairs(const PairChunk& chunk, const PairedTarget& paired) {
  const auto& [target, w] = paired;
  const auto p = chunk.log_p.exp(), q = chunk.log_q.exp();
  const auto d = chunk.log_p - chunk.log_q;
  auto of_p =
      p * ((d - chunk.forward) * w.forward_kl + (w.first + w.backward_kl)) - q * w.backward_kl;
  auto of_q =
      q * ((d + chunk.backward) * -w.backward_kl + (w.second + w.forward_kl)) - p * w.forward_kl;
  subtract_target(of_p, chunk.targets, target, w.first);
  subtract_target(of_q, chunk.targets, target, w.second);
  return at::stack({of_p, of_q}, 1).flatten(0, 1).to(chunk.logits.scalar_type());
}

}  // namespace

Loss device_paired_loss(const OutputLayer& layer, const at::Tensor& targets,
                        const PairedTarget& paired, std::int64_t largest_chunk) {
  const auto columns = targets.unsqueeze(1);
  const auto loss_of_chunk = [&](const DeviceChunk& chunk) {
    const PairChunk pairs(chunk, columns.narrow(0, chunk.first / 2, chunk.logits.size(0) / 2));
    return DeviceChunkLoss{
        .sums = sums_of_pairs(pairs, paired),
        .gradient = chunk.with_gradient ? gradient_of_pairs(pairs, paired) : at::Tensor()};
  };
  const auto pairs_at_once = std::max<std::int64_t>(1, largest_chunk / (2 * layer.vocab_size()));
  return device_loss(layer, targets.size(0), 2 * pairs_at_once, loss_of_chunk);
}

}  // namespace dragoman
