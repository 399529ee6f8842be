#pragma once

#include "dragoman/config/train_options.h"
#include "dragoman/train/worker_pool.h"

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace dragoman {

/// Adam (section 5.3) on one flat vector, with optional decoupled weight decay.
class Adam {
 public:
  /// \param values [size], the parameters; updated in place
  Adam(at::Tensor values, const TrainOptions& options);

  /// m = b1 m + (1 - b1) g; v = b2 v + (1 - b2) g^2; p -= rate * (m / (1 - b1^t)) / (sqrt(v / (1 -
  /// b2^t)) + eps), t counting from 1.
  /// \param gradient [size]
  /// \param pool its workers share the step; the result is bit-identical
  void step(const at::Tensor& gradient, double rate, WorkerPool* pool = nullptr);

  /// First and second moment, [size] each, and the number of steps done: the complete state.
  at::Tensor& first_moment() { return first_; }
  at::Tensor& second_moment() { return second_; }
  std::int64_t steps() const { return steps_; }
  void set_steps(std::int64_t steps) { steps_ = steps; }

 private:
  at::Tensor values_, first_, second_;
  double beta1_, beta2_, eps_, decay_;
  std::int64_t steps_ = 0;
};

/// Multiplies `gradient` by max_norm / (norm + 1e-6) if its 2-norm is above `max_norm` (0 = never).
/// \return the norm before clipping; not finite if any element is not
double clip_norm(at::Tensor& gradient, double max_norm);

}  // namespace dragoman
