#include "dragoman/analysis/prediction_quality.h"

#include <torch/nn.h>

namespace dragoman {

PredictionQuality prediction_quality(Transformer model, std::span<const Batch> batches) {
  const torch::NoGradGuard no_gradient;
  model->eval();
  PredictionQuality quality;
  for (const auto& batch : batches) {
    const auto logits = model->forward(batch.source, batch.source_mask, batch.target_input)
                            .masked_select(batch.target_mask.unsqueeze(-1));
    const auto targets = batch.target_output.masked_select(batch.target_mask);
    const auto log_probs =
        logits.view({targets.size(0), -1}).to(at::kDouble).log_softmax(-1);  // [tokens, vocab_size]
    quality.nll -= log_probs.gather(-1, targets.unsqueeze(-1)).sum().item<double>();
    const auto [best, piece] = log_probs.max(-1);
    const auto confidence = best.exp().contiguous();
    const auto right = (piece == targets).contiguous();
    for (std::int64_t i = 0; i < targets.size(0); ++i)
      quality.calibration.add(confidence.const_data_ptr<double>()[i],
                              right.const_data_ptr<bool>()[i]);
  }
  if (quality.calibration.count() > 0)
    quality.nll /= static_cast<double>(quality.calibration.count());
  return quality;
}

}  // namespace dragoman
