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

/// The largest of each `block` consecutive numbers of a row; the last block may be shorter. NaN
/// counts as the lowest.
/// \param block a multiple of a vector's length
/// \param maxima [blocks], written
void block_maxima(const float* row, std::int64_t count, std::int64_t block, float* maxima);

/// y = x * scale + addend for each element. \param addend null = 0
void scale_and_add(const float* x, float scale, const float* addend, std::int64_t count, float* y);

}  // namespace dragoman
