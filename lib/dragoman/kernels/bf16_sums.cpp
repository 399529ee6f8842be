#include "dragoman/kernels/bf16_sums.h"

#include "dragoman/core/simd.h"
#include "dragoman/kernels/small_vector.h"

namespace dragoman {

namespace {

DRAGOMAN_INLINE void add_one_row(float* sums, const Bf16* x, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) sums[i] += widened(x[i]);
}

/// Four rows at a time, so that the sums are read and written less often.
DRAGOMAN_INLINE void add_all_rows(float* sums, const Bf16* x, std::int64_t rows,
                                  std::int64_t columns) {
  std::int64_t row = 0;
  for (; row + 4 <= rows; row += 4) {
    const Bf16* a = x + row * columns;
    const Bf16 *b = a + columns, *c = b + columns, *d = c + columns;
    for (std::int64_t j = 0; j < columns; ++j)
      sums[j] += (widened(a[j]) + widened(b[j])) + (widened(c[j]) + widened(d[j]));
  }
  for (; row < rows; ++row) add_one_row(sums, x + row * columns, columns);
}

}  // namespace

void add_bf16(float* sums, const Bf16* x, std::int64_t count) {
  run_on_this_cpu([=](auto) __attribute__((always_inline)) { add_one_row(sums, x, count); });
}

void add_bf16_rows(float* sums, const Bf16* x, std::int64_t rows, std::int64_t columns) {
  run_on_this_cpu([=](auto)
                      __attribute__((always_inline)) { add_all_rows(sums, x, rows, columns); });
}

}  // namespace dragoman
