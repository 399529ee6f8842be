#pragma once

#include "dragoman/config/model_options.h"
#include "dragoman/model/linear.h"
#include "dragoman/model/recurrence.h"

#include <vector>

namespace dragoman {

/// Average attention (Zhang, Xiong and Su 2018, "Accelerating Neural Transformer via an Average
/// Attention Network", section 3): g_t is the mean of x_1 .. x_t, passed through a feed-forward
/// network; the output is i_t * x_t + f_t * g_t with the gates i_t = sigmoid(W_i x_t + b_i) and
/// f_t = sigmoid(W_f g_t + b_f), or g_t without `options.average_gate`. Each gate reads one
/// input, as in Marian; in the paper, both read x_t and g_t. A pre-norm layer normalises the mean,
/// not what it is the mean of.
class AverageAttentionImpl : public torch::nn::Module, public Recurrence {
 public:
  explicit AverageAttentionImpl(const ModelOptions& options);

  at::Tensor read(const at::Tensor& x, const Norm& norm) override;
  at::Tensor read_next(const at::Tensor& x, const Norm& norm, RecurrentState& state) override;

 private:
  /// \param x [batch, len, d_model] \param mean of the inputs so far, the same shape
  at::Tensor output_of(const at::Tensor& x, const at::Tensor& mean, const Norm& norm);

  Activation activation_;
  double dropout_;
  std::vector<Linear> inner_;
  Linear outer_{nullptr};  ///< none if `average_d_ff` is d_model, or without a network
  Linear input_gate_{nullptr}, mean_gate_{nullptr};
};

TORCH_MODULE(AverageAttention);

}  // namespace dragoman
