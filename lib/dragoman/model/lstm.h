#pragma once

#include "dragoman/config/model_options.h"
#include "dragoman/model/recurrent_state.h"

#include <torch/nn.h>

namespace dragoman {

/// A long short-term memory (Hochreiter and Schmidhuber, 1997) that reads a sentence in both
/// directions, d_model / 2 features each: the recurrence of an encoder layer. The weights, as
/// LibTorch draws them, and the computation are LibTorch's.
class BidirectionalLstmImpl : public torch::nn::LSTMImpl {
 public:
  explicit BidirectionalLstmImpl(const ModelOptions& model);

  /// \param x [batch, len, d_model]
  /// \param real [batch, len] bool, true = a real token, padding behind; undefined = all are
  /// \return [batch, len, d_model], zeros at padding, which no real token feels
  torch::Tensor forward(const torch::Tensor& x, const torch::Tensor& real);
};

TORCH_MODULE(BidirectionalLstm);

/// The same in reading order, d_model features: the recurrence of a decoder layer. No position feels
/// those behind it.
class ForwardLstmImpl : public torch::nn::LSTMImpl {
 public:
  explicit ForwardLstmImpl(const ModelOptions& model);

  /// \param x [batch, len, d_model]
  /// \return [batch, len, d_model]
  torch::Tensor forward(const torch::Tensor& x);

  /// One more token for each row.
  /// \param x [rows, 1, d_model]
  /// \param state takes the token in
  /// \return [rows, 1, d_model]
  torch::Tensor step(const torch::Tensor& x, RecurrentState& state);
};

TORCH_MODULE(ForwardLstm);

}  // namespace dragoman
