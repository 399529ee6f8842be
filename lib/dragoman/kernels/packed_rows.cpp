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

void SplitInt8::resize(std::int64_t rows, std::int64_t depth) {
  depth_ = depth;
  const auto words = static_cast<std::size_t>(rows * depth);
  for (auto* of_words : {&magnitudes_, &masks_, &places_}) of_words->resize(words);
  for (auto* of_rows : {&words_, &negatives_}) of_rows->resize(static_cast<std::size_t>(rows));
}

void SplitInt8::set(std::int64_t row, const std::int32_t* bytes) {
  const auto first = row * depth_;
  const auto result = avx2_split_row(bytes, depth_, magnitudes_.data() + first,
                                     masks_.data() + first, places_.data() + first);
  words_[static_cast<std::size_t>(row)] = result.words;
  negatives_[static_cast<std::size_t>(row)] = result.negatives;
}

SplitRows SplitInt8::rows() const {
  return {.magnitudes = magnitudes_.data(),
          .masks = masks_.data(),
          .places = places_.data(),
          .words = words_.data(),
          .negatives = negatives_.data()};
}

}  // namespace dragoman
