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

/// The bits of a word that say which of its signed bytes are negative; also the word of unsigned
/// bytes that represents zeros.
constexpr auto negative_bits = static_cast<std::int32_t>(0x80808080U);

/// A quick look at the first words, since most rows have hardly a zero.
bool may_be_sparse(const std::int32_t* words, std::int64_t depth, std::int32_t zero, double most) {
  constexpr double chance = 0.35;  // what a sparse row may have more there
  const auto seen = depth < 64 ? depth : 64;
  std::int32_t count = 0, bits = 0;
  for (std::int64_t p = 0; p < seen; ++p) {
    const auto word = words[p] ^ zero;
    count += word != 0 ? 1 : 0;
    bits |= word;
  }
  return most > 0.0 && count <= (most + chance) * static_cast<double>(seen) &&
         (zero == 0 || (bits & negative_bits) == 0);
}

ListedWords list_one_by_one(const std::int32_t* words, std::int64_t depth, std::int32_t zero,
                            std::int32_t* kept, std::int32_t* places) {
  ListedWords listed;
  for (std::int64_t p = 0; p < depth; ++p) {
    const auto word = words[p] ^ zero;
    kept[listed.count] = word;
    places[listed.count] = static_cast<std::int32_t>(p);
    listed.count += word != 0 ? 1 : 0;
    listed.bits |= word;
  }
  return listed;
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

ListWords plain_list_words() { return list_one_by_one; }

ListedWords list_words(const std::int32_t* words, std::int64_t depth, std::int32_t zero,
                       std::int32_t* kept, std::int32_t* places) {
  static const bool has_avx2 = simd_level() != SimdLevel::baseline && avx2_list_words() != nullptr;
  static const auto best = has_avx2 ? avx2_list_words() : plain_list_words();
  return best(words, depth, zero, kept, places);
}

bool SparseInt32::set(const std::int32_t* words, std::int64_t rows, std::int64_t depth,
                      WeightType type, double most) {
  clear();
  const auto zero = type == WeightType::int8 ? negative_bits : 0;
  if (rows == 0 || depth == 0 || !may_be_sparse(words, depth, zero, most)) return false;
  words_.resize(static_cast<std::size_t>(rows * depth));
  places_.resize(words_.size());
  counts_.resize(static_cast<std::size_t>(rows));
  auto left = static_cast<std::int64_t>(most * static_cast<double>(rows * depth));
  for (std::int64_t row = 0; row < rows; ++row) {
    const auto listed = list_words(words + row * depth, depth, zero, words_.data() + row * depth,
                                   places_.data() + row * depth);
    left -= listed.count;
    if (left < 0 || (zero != 0 && (listed.bits & negative_bits) != 0)) return false;
    counts_[static_cast<std::size_t>(row)] = listed.count;
  }
  depth_ = depth;
  return true;
}

SparseRows SparseInt32::rows() const {
  if (depth_ == 0) return {};
  return {.words = words_.data(), .places = places_.data(), .counts = counts_.data()};
}

void SplitInt8::set(const std::int32_t* bytes, std::int64_t rows, std::int64_t depth) {
  magnitudes_.resize(static_cast<std::size_t>(rows * depth));
  masks_.resize(magnitudes_.size());
  negatives_.resize(static_cast<std::size_t>(rows));
  for (std::int64_t row = 0; row < rows; ++row)
    negatives_[static_cast<std::size_t>(row)] = avx2_split_row(
        bytes + row * depth, depth, magnitudes_.data() + row * depth, masks_.data() + row * depth);
}

SplitRows SplitInt8::rows() const {
  return {.magnitudes = magnitudes_.data(), .masks = masks_.data(), .negatives = negatives_.data()};
}

}  // namespace dragoman
