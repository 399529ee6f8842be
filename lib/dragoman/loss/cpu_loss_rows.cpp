#include "dragoman/loss/cpu_loss.h"

#include "dragoman/core/simd.h"
#include "dragoman/loss/cpu_row_loops.h"

namespace dragoman {

namespace {

[[gnu::always_inline]] inline void scale_and_subtract(float* row, std::int64_t count, float scale,
                                                      float spread) {
  for (std::int64_t i = 0; i < count; ++i) row[i] = row[i] * scale - spread;
}

}  // namespace

void smoothed_loss_rows(at::Tensor& logits, const at::Tensor& targets, const SmoothedTarget& target,
                        bool with_gradient, double* sums) {
  const auto classes = logits.size(1);
  auto* row = logits.mutable_data_ptr<float>();
  const auto* wanted = targets.const_data_ptr<std::int64_t>();
  for (std::int64_t r = 0; r < logits.size(0); ++r, row += classes) {
    row_loops::RowSums read{};
    bool correct = false;
    run_on_this_cpu([&](auto) __attribute__((always_inline)) {
      read = row_loops::read_row(row, classes);
      correct = row_loops::is_argmax(row, wanted[r], read.largest);
    });
    const float of_target = row[wanted[r]];
    const float of_excluded = target.excluded >= 0 ? row[target.excluded] : 0.0F;
    run_on_this_cpu([&](auto) __attribute__((always_inline)) {
      read.exponentials = row_loops::exponentiate_row(row, classes, read.largest);
    });
    const auto losses = row_loops::losses_of({.log_sum = row_loops::log_sum(read),
                                              .sum = read.all,
                                              .of_target = of_target,
                                              .of_excluded = of_excluded,
                                              .count = classes},
                                             target);
    sums[Loss::minimised] += losses.smoothed;
    sums[Loss::nll] += losses.nll;
    sums[Loss::correct] += correct ? 1.0 : 0.0;
    if (!with_gradient) continue;
    const float scale = 1.0F / read.exponentials, spread = static_cast<float>(target.spread);
    run_on_this_cpu([&](auto) __attribute__((always_inline)) {
      scale_and_subtract(row, classes, scale, spread);
    });
    row[wanted[r]] -= static_cast<float>(target.extra);
    if (target.excluded >= 0) row[target.excluded] += static_cast<float>(target.spread);
  }
}

}  // namespace dragoman
