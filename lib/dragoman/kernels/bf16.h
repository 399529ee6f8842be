#pragma once

#include <bit>
#include <cstdint>

namespace dragoman {

/// A bfloat16 in memory: the upper half of a float32. For loops compiled for several processors,
/// into which these functions are inlined.
struct Bf16 {
  std::uint16_t bits;
};

inline float widened(float x) { return x; }
inline float widened(Bf16 x) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(x.bits) << 16);
}

inline void narrow(float x, float& out) { out = x; }

/// Rounds to nearest, ties to even.
inline void narrow(float x, Bf16& out) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const auto nearest = (bits + 0x7FFFU + (bits >> 16 & 1U)) >> 16;
  out.bits = static_cast<std::uint16_t>(x == x ? nearest : 0x7FC0U);  // else NaN
}

}  // namespace dragoman
