#pragma once

#include <bit>
#include <cstdint>

namespace dragoman {

/// exp(x) in float32 for x <= 88, relative error below 3e-7; 0 below -87; NaN for NaN. Written so
/// that compilers can vectorise a loop over it without changing its results: 2^n by the
/// exponent bits, the rest by a polynomial.
[[gnu::always_inline]] inline float fast_exp(float x) {
  constexpr float to_integer = 12582912.0F;  // 1.5 * 2^23: adding it rounds, its last bits are n
  const float bounded = x < -87.0F ? -87.0F : x;
  const float shifted = bounded * 1.44269504F + to_integer;
  const float n = shifted - to_integer;
  const float r = (bounded - n * 0.693359375F) + n * 2.12194440e-4F;  // ln 2 in two parts
  float p = 1.0F / 720.0F;
  p = p * r + 1.0F / 120.0F;
  p = p * r + 1.0F / 24.0F;
  p = p * r + 1.0F / 6.0F;
  p = p * r + 0.5F;
  p = p * r + 1.0F;
  p = p * r + 1.0F;
  const float power = std::bit_cast<float>((std::bit_cast<std::uint32_t>(shifted) + 127U) << 23U);
  return x < -87.0F ? 0.0F : p * power;
}

}  // namespace dragoman
