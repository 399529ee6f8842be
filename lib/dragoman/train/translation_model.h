#pragma once

#include "dragoman/config/run_options.h"
#include "dragoman/model/transformer.h"
#include "dragoman/text/tokenizer.h"
#include "dragoman/train/trainable.h"

#include <optional>

namespace dragoman {

/// The Transformer as it is trained: teacher forcing and label-smoothed cross-entropy. With
/// `train.consistency`, in training mode, each batch is read twice at once, and the loss is
/// `paired_loss`; `forward` then returns two rows for each target.
class TranslationModel final : public Trainable {
 public:
  /// \param vocabulary what `write` stores; only training runs that are never saved do without
  TranslationModel(Transformer model, const RunOptions& options,
                   std::optional<Vocabulary> vocabulary = std::nullopt);

  torch::nn::Module& module() override { return *model_; }
  at::Tensor forward(const Batch& batch) override;
  Loss loss(const at::Tensor& hidden, const Batch& batch) override;
  void recompute(const TrainOptions& options) override;
  std::unique_ptr<Trainable> replica() const override;
  void write(CheckpointWriter& writer, const NamedTensors& weights) const override;

 private:
  bool reads_twice() const;
  at::Tensor forward_twice(const Batch& batch);

  Transformer model_;
  RunOptions options_;
  std::optional<Vocabulary> vocabulary_;
  LabelSmoothing smoothing_;
};

}  // namespace dragoman
