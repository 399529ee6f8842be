#pragma once

#include <cstdint>

namespace dragoman {

/// A layer norm's parameters (section 3.1).
struct RowNorm {
  const float* weight = nullptr;  ///< [width]
  const float* bias = nullptr;    ///< [width]
  double eps = 1e-5;              ///< added to the variance
};

/// y = weight * (x - mean) / sqrt(variance + eps) + bias for each row, with the biased variance.
/// \param x [rows, width]
/// \param y [rows, width], may be `x`
void layer_norm_rows(const float* x, std::int64_t rows, std::int64_t width, const RowNorm& norm,
                     float* y);

/// x Phi(x) for each element, in place, with an absolute error of Phi below 2e-7.
void gelu(float* x, std::int64_t count);

/// 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) for each element, in place.
void gelu_tanh(float* x, std::int64_t count);

/// x sigmoid(factor x) for each element, in place: swish with factor 1, an approximation of gelu
/// with 1.702.
void swish(float* x, std::int64_t count, float factor = 1.0F);

/// The largest number of blocks that are reduced together.
inline constexpr std::int64_t most_blocks = 16;

/// Some consecutive columns of a matrix, and what a softmax and a search for large numbers need to
/// know of them.
struct ReducedColumns {
  const float* x = nullptr;  ///< [rows, count] of a matrix of `width` columns
  std::int64_t rows = 0, count = 0, width = 0;
  std::int64_t block = 1;  ///< `count` is at most `most_blocks` of them
  /// Written, [rows, count / block, rounded up], rows `maxima_width` apart: the largest of each
  /// `block` numbers. NaN counts as the lowest.
  float* maxima = nullptr;
  std::int64_t maxima_width = 0;
  /// Written, [rows], `sums_width` apart: the sum of exp(x - m), m the largest of all `count`. NaN
  /// if a number is NaN or +infinity. What is below m - 87 counts as m - 87, which changes no sum.
  float* sums = nullptr;
  std::int64_t sums_width = 0;
};
void reduce_columns(const ReducedColumns& columns);

/// y = exp((x - largest) * factor) for each element, with a relative error below 3e-7, and its sum
/// over each `block` elements.
/// \param largest of the elements \param factor above 0
/// \param sums written, [count / block, rounded up]
void exponentials(const float* x, std::int64_t count, float largest, float factor,
                  std::int64_t block, float* y, float* sums);

/// y = x * scale + addend for each element. \param addend may be `y`; null = 0
void scale_and_add(const float* x, float scale, const float* addend, std::int64_t count, float* y);

}  // namespace dragoman
