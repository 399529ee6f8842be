#include "dragoman/train/cpu_loss.h"

#include "dragoman/core/simd.h"
#include "dragoman/train/cpu_row_loops.h"

#include <cmath>

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
  const double spread_classes = static_cast<double>(classes - (target.excluded >= 0 ? 1 : 0));
  for (std::int64_t r = 0; r < logits.size(0); ++r, row += classes) {
    row_loops::RowSums read{};
    run_on_this_cpu(
        [&](auto) __attribute__((always_inline)) { read = row_loops::read_row(row, classes); });
    const float of_target = row[wanted[r]];
    const float of_excluded = target.excluded >= 0 ? row[target.excluded] : 0.0F;
    run_on_this_cpu([&](auto) __attribute__((always_inline)) {
      read.exponentials = row_loops::exponentiate_row(row, classes, read.largest);
    });
    const double log_sum =
        static_cast<double>(read.largest) + std::log(static_cast<double>(read.exponentials));
    const double nll = log_sum - of_target;
    const double spread_logits = static_cast<double>(read.all) - of_excluded;
    sums[0] += target.extra * nll + target.spread * (spread_classes * log_sum - spread_logits);
    sums[1] += nll;
    sums[2] += of_target >= read.largest ? 1.0 : 0.0;
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
