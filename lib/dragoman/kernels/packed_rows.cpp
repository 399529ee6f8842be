#include "dragoman/kernels/packed_rows.h"

#include "dragoman/core/simd.h"
#include "dragoman/kernels/bf16.h"
#include "dragoman/kernels/small_vector.h"

#include <bit>
#include <cstring>
#include <limits>

namespace dragoman {

namespace {

DRAGOMAN_INLINE void pack_bf16(const float* row, std::int64_t size, std::int32_t* words) {
  auto* to = reinterpret_cast<unsigned char*>(words);
  for (std::int64_t i = 0; i < size; ++i) {
    Bf16 rounded;
    narrow(row[i], rounded);
    std::memcpy(to + 2 * i, &rounded, sizeof rounded);
  }
  if (size % 2 != 0) std::memset(to + 2 * size, 0, 2);
}

DRAGOMAN_INLINE float pack_int8(const float* row, std::int64_t size, std::int32_t zero,
                                std::int32_t* words) {
  // Magnitudes as bits: in this order NaN is larger than every number and cannot be missed.
  std::int32_t largest = 0;
  for (std::int64_t i = 0; i < size; ++i) {
    const auto magnitude = std::bit_cast<std::int32_t>(row[i]) & 0x7FFFFFFF;
    largest = magnitude > largest ? magnitude : largest;
  }
  constexpr std::int32_t infinity = 0x7F800000;
  if (largest >= infinity) {
    for (std::int64_t i = 0; 4 * i < size; ++i) words[i] = 0;
    return std::numeric_limits<float>::quiet_NaN();
  }
  const float scale = std::bit_cast<float>(largest) / 127.0F;
  constexpr float nothing = 1e-30F;  // rounds to 0, and its inverse would be too large
  const float factor = scale < nothing ? 0.0F : 1.0F / scale;
  const float shift = static_cast<float>(zero) + 128.5F;  // positive, so that truncation rounds
  auto* to = reinterpret_cast<std::uint8_t*>(words);
  for (std::int64_t i = 0; i < size; ++i)
    to[i] = static_cast<std::uint8_t>(static_cast<std::int32_t>(row[i] * factor + shift) - 128);
  for (std::int64_t i = size; i % 4 != 0; ++i) to[i] = static_cast<std::uint8_t>(zero);
  return scale;
}

DRAGOMAN_INLINE std::int32_t sum_bytes_below(std::int32_t zero, const std::int32_t* words,
                                             std::int64_t size) {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(words);
  std::int32_t sum = 0;
  for (std::int64_t i = 0; i < 4 * size; ++i) sum += bytes[i] < zero ? zero - bytes[i] : 0;
  return sum;
}

}  // namespace

void pack_bf16_row(const float* row, std::int64_t size, std::int32_t* words) {
  run_on_this_cpu([=](auto) __attribute__((always_inline)) { pack_bf16(row, size, words); });
}

float pack_int8_row(const float* row, std::int64_t size, std::int32_t zero, std::int32_t* words) {
  float scale = 0.0F;
  run_on_this_cpu([=, &scale](auto) __attribute__((always_inline)) {
    scale = pack_int8(row, size, zero, words);
  });
  return scale;
}

std::int32_t sum_below(std::int32_t zero, const std::int32_t* words, std::int64_t size) {
  std::int32_t sum = 0;
  run_on_this_cpu([=, &sum](auto)
                      __attribute__((always_inline)) { sum = sum_bytes_below(zero, words, size); });
  return sum;
}

}  // namespace dragoman
