#pragma once

#include "dragoman/config/train_options.h"
#include "dragoman/tensor/worker_pool.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <optional>

namespace dragoman {

/// Adam (section 5.3 of the paper; arXiv 1412.6980) on one flat vector, with optional decoupled
/// weight decay (AdamW, arXiv 1711.05101).
class Adam {
 public:
  /// \param values [size], the parameters, float32 or float64, in which the moments are kept too;
  ///     updated in place
  Adam(at::Tensor values, const TrainOptions& options);

  /// m = b1 m + (1 - b1) g; v = b2 v + (1 - b2) g^2; p *= 1 - rate * weight_decay; p -= rate * (m /
  /// (1 - b1^t)) / (sqrt(v / (1 - b2^t)) + eps), t counting from 1.
  /// \param gradient [size], of the parameters' type, multiplied by `scale` to give g
  /// \param pool its workers share the step; the result does not depend on their number
  void step(at::Tensor& gradient, double scale, double rate, WorkerPool& pool);

  /// The same without waiting for the device that computes it: nothing but the count of steps
  /// changes if `failed` is 1.
  /// \param failed scalar float32, 0 or 1
  /// \param divisor scalar of any type, by which `gradient` is divided to give g
  void step_unless(const at::Tensor& failed, at::Tensor& gradient, const at::Tensor& divisor,
                   double rate);

  /// First and second moment, [size] each, and the number of steps done: the complete state.
  at::Tensor& first_moment() { return first_; }
  at::Tensor& second_moment() { return second_; }
  std::int64_t steps() const { return steps_; }
  void set_steps(std::int64_t steps) { steps_ = steps; }

 private:
  bool scales_first() const;
  at::Tensor scalar(double value) const;
  void fused_step(const std::function<at::Tensor(const at::Tensor&)>& part,
                  const at::Tensor& gradient, double rate, const std::optional<at::Tensor>& divisor,
                  const std::optional<at::Tensor>& failed);

  at::Tensor values_, first_, second_;
  double beta1_, beta2_, eps_, decay_;
  std::int64_t steps_ = 0;
};

/// The 2-norm of a vector, [size], on its device: float64, summed so, since the norm of finite
/// numbers may overflow float32.
at::Tensor norm_on_device(const at::Tensor& flat);

/// The 2-norm of a vector, [size]; not finite if any element is not. Of float32 on the CPU,
/// parts are added in float64, so that the result neither loses digits with the size nor depends on
/// the number of workers.
double norm_of(const at::Tensor& flat, WorkerPool& pool);

/// What a gradient of this norm is multiplied by so that its norm is at most `max_norm` (0 = no
/// limit): `max_norm` / (`norm` + `clip_epsilon`).
inline constexpr double clip_epsilon = 1e-6;
double clip_factor(double norm, double max_norm);

}  // namespace dragoman
