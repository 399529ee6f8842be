#pragma once

#include "dragoman/config/model_options.h"
#include "dragoman/model/linear.h"
#include "dragoman/model/recurrence.h"

#include <utility>

namespace dragoman {

/// A simpler simple recurrent unit (Kim et al. 2019, "From Research to Production and Back",
/// section 3): with f_t = sigmoid(W_f x_t + b_f), c_t = f_t * c_{t-1} + (1 - f_t) * W x_t and
/// c_0 = 0, the output is relu(c_t). No matrix product depends on the state, so that a whole
/// sentence takes two. The state is float32 at least.
class SsruImpl : public torch::nn::Module, public Recurrence {
 public:
  /// With `options.ssru_output`, the output goes through another linear map.
  explicit SsruImpl(const ModelOptions& options);

  at::Tensor read(const at::Tensor& x, const Norm& norm) override;
  at::Tensor read_next(const at::Tensor& x, const Norm& norm, RecurrentState& state) override;

 private:
  std::pair<at::Tensor, at::Tensor> gated(const at::Tensor& input);
  at::Tensor output_of(const at::Tensor& cell);

  Linear input_{nullptr}, forget_{nullptr}, output_{nullptr};
};

TORCH_MODULE(Ssru);

}  // namespace dragoman
