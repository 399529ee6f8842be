#pragma once

#include "dragoman/config/model_options.h"
#include "dragoman/model/recurrence.h"

#include <torch/nn.h>

namespace dragoman {

/// A long short-term memory (Hochreiter and Schmidhuber, 1997) that reads a sentence in both
/// directions, d_model / 2 features each: the recurrence of an encoder layer. LibTorch provides the
/// computation and initialises the weights. On a GPU, a pass that records gradients may not run
/// beside another of the same module.
class BidirectionalLstmImpl : public torch::nn::LSTMImpl {
 public:
  explicit BidirectionalLstmImpl(const ModelOptions& model);

  /// \param x [batch, len, d_model]
  /// \param real [batch, len] bool, true = a real token, padding last; undefined = all are
  /// \return [batch, len, d_model]; padding does not affect real tokens, and is zeros if `real`
  ///     says where it is and the sentence has a token
  torch::Tensor forward(const torch::Tensor& x, const torch::Tensor& real);
};

TORCH_MODULE(BidirectionalLstm);

/// The same in reading order only, d_model features: the recurrence of a decoder layer. No position
/// depends on later ones.
class ForwardLstmImpl : public torch::nn::LSTMImpl, public Recurrence {
 public:
  explicit ForwardLstmImpl(const ModelOptions& model);

  at::Tensor read(const at::Tensor& x, const Norm& norm) override;
  at::Tensor read_next(const at::Tensor& x, const Norm& norm, RecurrentState& state) override;
};

TORCH_MODULE(ForwardLstm);

}  // namespace dragoman
