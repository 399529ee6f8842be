#include "dragoman/kernels/recurrence_rows.h"

#include "dragoman/core/simd.h"
#include "dragoman/kernels/fast_exp.h"
#include "dragoman/kernels/small_vector.h"

namespace dragoman {

namespace {

DRAGOMAN_INLINE float sigmoid(float x) {
  const float bounded = x < -80.0F ? -80.0F : x;
  return 1.0F / (1.0F + fast_exp(-bounded));
}

}  // namespace

void ssru_state(const float* forget, const float* candidate, const float* previous,
                std::int64_t count, float* state) {
  run_on_this_cpu([=](auto) __attribute__((always_inline)) {
    for (std::int64_t i = 0; i < count; ++i) {
      const float f = sigmoid(forget[i]);
      state[i] = (previous == nullptr ? 0.0F : f * previous[i]) + (1.0F - f) * candidate[i];
    }
  });
}

void gated_sum(const float* gate_x, const float* x, const float* gate_y, const float* y,
               std::int64_t count, float* sum) {
  run_on_this_cpu([=](auto) __attribute__((always_inline)) {
    for (std::int64_t i = 0; i < count; ++i)
      sum[i] = sigmoid(gate_x[i]) * x[i] + sigmoid(gate_y[i]) * y[i];
  });
}

}  // namespace dragoman
