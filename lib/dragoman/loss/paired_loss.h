#pragma once

#include "dragoman/loss/cpu_loss.h"
#include "dragoman/loss/loss.h"

namespace dragoman {

/// What two passes over the same targets, with the distributions p and q, contribute to the loss of
/// a target: first * CE(p) + second * CE(q) + forward_kl * KL(p || q) + backward_kl * KL(q || p),
/// where CE is label-smoothed cross-entropy and all are in nats. The gradient flows through p and q
/// in all of them.
struct PairWeights {
  double first = 0.5;
  double second = 0.5;
  double forward_kl = 0.0;
  double backward_kl = 0.0;
};

/// The weights for `train.consistency`, with alpha = `train.consistency_weight`.
///
/// R-Drop (Liang et al. 2021, arXiv 2106.14448, section 2.1): p and q under independent dropout,
/// CE(p) + CE(q) + alpha * [KL(p || q) + KL(q || p)] / 2. Here it is half of that, so that it is a
/// mean of the passes, and the norm of its gradient compares with that of a plain update. The ratio
/// of its parts, all that alpha decides, is the paper's: alpha = 5 means what it means there.
///
/// SimCut (Gao et al. 2022, arXiv 2206.02368, section 3): p from the text, q from the same with
/// embeddings cut off, CE(p) + alpha * KL(p || q), where alpha = 3. As in the paper, and other than
/// in virtual adversarial training, the divergence is propagated back to both.
PairWeights pair_weights(const TrainOptions& options);

/// Output layer and loss of two passes together, in chunks of rows as in `generator_loss`. Of
/// `Loss::sums`, the second is weighted as the cross-entropies are, the third is of the first pass,
/// and the fourth is the part of the divergences.
/// \param layer rows 2i and 2i + 1 are those of target i in both passes
/// \param targets [tokens] int64
Loss paired_loss(const OutputLayer& layer, const at::Tensor& targets,
                 const LabelSmoothing& smoothing, const PairWeights& weights);

/// The definition, using LibTorch's own operations. \param logits [2 * tokens, vocab_size]
Loss paired_cross_entropy(const at::Tensor& logits, const at::Tensor& targets,
                          const LabelSmoothing& smoothing, const PairWeights& weights);

/// The loss of pairs of rows as the implementations read it.
struct PairedTarget {
  SmoothedTarget target;
  PairWeights weights;
};

/// For float32 weights on a CPU: the `AddChunkLoss` of pairs of rows.
AddChunkLoss paired_loss_rows(const at::Tensor& targets, const PairedTarget& paired);

/// In a form suited to GPUs, as `device_loss`.
Loss device_paired_loss(const OutputLayer& layer, const at::Tensor& targets,
                        const PairedTarget& paired,
                        std::int64_t largest_chunk = std::int64_t{1} << 26);

}  // namespace dragoman
