#include "dragoman/kernels/row_functions.h"

#include "dragoman/core/simd.h"
#include "dragoman/kernels/fast_exp.h"
#include "dragoman/kernels/small_vector.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace dragoman {

namespace {

using small::lanes;

/// The sum of f(x) over a row; `f` takes vectors and numbers.
template <typename Vector, typename F>
DRAGOMAN_INLINE float sum_of(const float* x, std::int64_t width, F f) {
  Vector sums = {};
  std::int64_t i = 0;
  for (; i + lanes <= width; i += lanes) {
    Vector v;
    small::load(v, x + i);
    sums += f(v);
  }
  float sum = small::sum(sums);
  for (; i < width; ++i) sum += f(x[i]);
  return sum;
}

template <typename Vector>
DRAGOMAN_INLINE void norm_row(const float* x, std::int64_t width, const RowNorm& norm, float* y) {
  const auto size = static_cast<float>(width);
  const float mean =
      sum_of<Vector>(x, width, [](auto v) __attribute__((always_inline)) { return v; }) / size;
  const auto squared = [mean](auto v) __attribute__((always_inline)) {
    const auto distance = v - mean;
    return distance * distance;
  };
  const float variance = sum_of<Vector>(x, width, squared) / size;
  const float factor =
      static_cast<float>(1.0 / std::sqrt(static_cast<double>(variance) + norm.eps));
  for (std::int64_t i = 0; i < width; ++i)
    y[i] = (x[i] - mean) * factor * norm.weight[i] + norm.bias[i];
}

/// erf(x / sqrt(2)) for x >= 0 (Abramowitz and Stegun, 7.1.26).
DRAGOMAN_INLINE float erf_over_sqrt2(float x) {
  const float z = x * 0.70710678F;
  const float t = 1.0F / (1.0F + 0.3275911F * z);
  const float p = ((((1.061405429F * t - 1.453152027F) * t + 1.421413741F) * t - 0.284496736F) * t +
                   0.254829592F) *
                  t;
  return 1.0F - p * fast_exp(-z * z);
}

/// x sigmoid(z); 0 for z below -80.
DRAGOMAN_INLINE float gated(float x, float z) {
  const float bounded = z < -80.0F ? -80.0F : z;
  const float result = x / (1.0F + fast_exp(-bounded));
  return z < -80.0F ? 0.0F : result;
}

/// The next numbers of a row that has `left` more, -infinity behind them.
template <typename Vector>
DRAGOMAN_INLINE void load_some(Vector& v, const float* x, std::int64_t left) {
  if (left >= lanes) return small::load(v, x);
  float numbers[lanes];
  for (std::int64_t i = 0; i < lanes; ++i)
    numbers[i] = i < left ? x[i] : -std::numeric_limits<float>::infinity();
  small::load(v, numbers);
}

/// Adds exp(x) for x <= 0 or, if it is larger, exp(-87). The relative error is below 3e-7 for
/// x > -8 and below 5e-6 elsewhere: ln 2 in one part is enough where the largest term is 1.
template <int width>
DRAGOMAN_INLINE void add_exponential(small::Vector<width>& sum, const small::Vector<width>& v) {
  using Part = typename small::Vector<width>::Part;
  using Integers = typename small::Vector<width>::Integers;
  constexpr float to_integer = 12582912.0F + 127.0F;  // as in `fast_exp`, with the exponent's bias
#pragma GCC unroll 4
  for (int i = 0; i < small::Vector<width>::parts; ++i) {
    const Part x = v.part[i], bounded = x < -87.0F ? Part{} - 87.0F : x;
    const Part shifted = bounded * 1.44269504F + to_integer;
    const Part r = bounded - (shifted - to_integer) * 0.69314718F;
    // The polynomial whose relative error is the least for r within ln 2 / 2.
    Part p = r * 0.00829761940F + 0.0419156291F;
    p = p * r + 0.166675761F;
    p = p * r + 0.499988914F;
    p = p * r + 0.999999702F;
    p = p * r + 1.00000012F;
    Integers bits;
    std::memcpy(&bits, &shifted, sizeof bits);
    bits <<= 23;
    Part power;
    std::memcpy(&power, &bits, sizeof power);
    sum.part[i] += p * power;
  }
}

template <typename Vector>
DRAGOMAN_INLINE void reduce_row(const ReducedColumns& columns, std::int64_t row) {
  const float* x = columns.x + row * columns.width;
  const auto count = columns.count, block = columns.block;
  Vector lowest = {}, v;
  lowest -= std::numeric_limits<float>::infinity();
  static_assert(lanes == most_blocks);
  Vector of_blocks[lanes];
  for (std::int64_t b = 0; b < lanes; ++b) {
    of_blocks[b] = lowest;
    const auto end = (b + 1) * block < count ? (b + 1) * block : count;
    for (auto i = b * block; i < end; i += lanes) {
      load_some(v, x + i, end - i);
      small::raise(of_blocks[b], v);
    }
  }
  const auto largest = small::maximum_each(of_blocks);
  float maxima[lanes];
  small::store(maxima, largest);
  for (std::int64_t b = 0; b * block < count; ++b)
    columns.maxima[row * columns.maxima_width + b] = maxima[b];
  // Finite, so that the difference of -infinity and it is no NaN.
  constexpr float least = std::numeric_limits<float>::lowest();
  const float top = small::maximum(largest), shift = top > least ? top : least;
  Vector total = {};
  for (std::int64_t i = 0; i < count; i += lanes) {
    load_some(v, x + i, count - i);
    v -= shift;
    add_exponential(total, v);
  }
  columns.sums[row * columns.sums_width] = small::sum(total);
}

}  // namespace

void layer_norm_rows(const float* x, std::int64_t rows, std::int64_t width, const RowNorm& norm,
                     float* y) {
  run_on_this_cpu([&](auto vector) __attribute__((always_inline)) {
    for (std::int64_t row = 0; row < rows; ++row)
      norm_row<small::Vector<vector>>(x + row * width, width, norm, y + row * width);
  });
}

void gelu(float* x, std::int64_t count) {
  run_on_this_cpu([=](auto) __attribute__((always_inline)) {
    for (std::int64_t i = 0; i < count; ++i) {
      const float size = x[i] < 0.0F ? -x[i] : x[i];
      const float half = 0.5F * erf_over_sqrt2(size);
      x[i] *= 0.5F + (x[i] < 0.0F ? -half : half);
    }
  });
}

void gelu_tanh(float* x, std::int64_t count) {
  run_on_this_cpu([=](auto) __attribute__((always_inline)) {
    for (std::int64_t i = 0; i < count; ++i) {
      // 0.5 (1 + tanh(z)) = sigmoid(2 z)
      x[i] = gated(x[i], 1.59576912F * (x[i] + 0.044715F * x[i] * x[i] * x[i]));
    }
  });
}

void swish(float* x, std::int64_t count, float factor) {
  run_on_this_cpu([=](auto) __attribute__((always_inline)) {
    for (std::int64_t i = 0; i < count; ++i) x[i] = gated(x[i], factor * x[i]);
  });
}

void reduce_columns(const ReducedColumns& columns) {
  run_on_this_cpu([&](auto vector) __attribute__((always_inline)) {
    for (std::int64_t row = 0; row < columns.rows; ++row)
      reduce_row<small::Vector<vector>>(columns, row);
  });
}

void exponentials(const float* x, std::int64_t count, float largest, float factor,
                  std::int64_t block, float* y, float* sums) {
  run_on_this_cpu([=](auto width) __attribute__((always_inline)) {
    for (std::int64_t i = 0; i < count; ++i) y[i] = fast_exp((x[i] - largest) * factor);
    for (std::int64_t b = 0; b * block < count; ++b) {
      const auto size = (b + 1) * block < count ? block : count - b * block;
      sums[b] = sum_of<small::Vector<width>>(
          y + b * block, size, [](auto v) __attribute__((always_inline)) { return v; });
    }
  });
}

void scale_and_add(const float* x, float scale, const float* addend, std::int64_t count, float* y) {
  run_on_this_cpu([=](auto) __attribute__((always_inline)) {
    if (addend == nullptr)
      for (std::int64_t i = 0; i < count; ++i) y[i] = x[i] * scale;
    else
      for (std::int64_t i = 0; i < count; ++i) y[i] = x[i] * scale + addend[i];
  });
}

}  // namespace dragoman
