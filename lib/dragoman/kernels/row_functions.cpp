#include "dragoman/kernels/row_functions.h"

#include "dragoman/core/simd.h"
#include "dragoman/kernels/fast_exp.h"
#include "dragoman/kernels/small_vector.h"

#include <cmath>
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

template <typename Vector>
DRAGOMAN_INLINE float largest_of(const float* x, std::int64_t count) {
  float largest = -std::numeric_limits<float>::infinity();
  std::int64_t i = 0;
  if (count >= lanes) {
    Vector maxima = {}, v;
    maxima -= std::numeric_limits<float>::infinity();
    for (; i + lanes <= count; i += lanes) {
      small::load(v, x + i);
      small::raise(maxima, v);
    }
    largest = small::maximum(maxima);
  }
  for (; i < count; ++i) largest = x[i] > largest ? x[i] : largest;
  return largest;
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
      // 0.5 (1 + tanh(z)) = 1 / (1 + exp(-2 z)), which is 0 below -80.
      const float z = 1.59576912F * (x[i] + 0.044715F * x[i] * x[i] * x[i]);
      const float bounded = z < -80.0F ? -80.0F : z;
      const float result = x[i] / (1.0F + fast_exp(-bounded));
      x[i] = z < -80.0F ? 0.0F : result;
    }
  });
}

void swish(float* x, std::int64_t count, float factor) {
  run_on_this_cpu([=](auto) __attribute__((always_inline)) {
    for (std::int64_t i = 0; i < count; ++i) {
      const float z = factor * x[i];
      const float bounded = z < -80.0F ? -80.0F : z;
      const float result = x[i] / (1.0F + fast_exp(-bounded));
      x[i] = z < -80.0F ? 0.0F : result;
    }
  });
}

void block_maxima(const float* row, std::int64_t count, std::int64_t block, float* maxima) {
  run_on_this_cpu([=](auto vector) __attribute__((always_inline)) {
    for (std::int64_t first = 0, b = 0; first < count; first += block, ++b)
      maxima[b] = largest_of<small::Vector<vector>>(row + first,
                                                    block < count - first ? block : count - first);
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
