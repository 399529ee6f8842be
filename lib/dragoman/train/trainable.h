#pragma once

#include "dragoman/config/train_options.h"
#include "dragoman/data/batch.h"
#include "dragoman/loss/loss.h"
#include "dragoman/run/checkpoint_writer.h"
#include "dragoman/run/tensor_file.h"

#include <torch/nn/module.h>

#include <memory>

namespace dragoman {

/// What can be trained: a translation model, a classifier, a language model.
class Trainable {
 public:
  virtual ~Trainable() = default;

  virtual torch::nn::Module& module() = 0;

  /// The model's output for the batch, the input of `loss`, in the type of the weights or of mixed
  /// precision.
  /// \param batch on the module's device
  /// \return of a translation or language model the decoder's output, [targets, d_model] with a row
  ///     for each real target token, for consistency training [passes * targets, d_model]; of a
  ///     classifier logits, [batch, classes]
  virtual at::Tensor forward(const Batch& batch) = 0;

  /// The loss of these predictions: output layer, if they have not passed it, and cross-entropy.
  virtual Loss loss(const at::Tensor& predictions, const Batch& batch) = 0;

  /// The backward pass then recomputes layers as `options.recompute` says instead of keeping their
  /// activations.
  virtual void recompute(const TrainOptions& options) = 0;

  /// A model of the same shape, for another worker; its weights are not initialised.
  virtual std::unique_ptr<Trainable> replica() const = 0;

  /// Writes what using the model takes: weights, configuration, tokenizers. Reads nothing that
  /// training changes, so that it may run while training goes on.
  /// \param weights of the module, as `parameters_of` names them
  virtual void write(CheckpointWriter& writer, const NamedTensors& weights) const = 0;
};

}  // namespace dragoman
