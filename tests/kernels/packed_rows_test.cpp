#include "dragoman/kernels/packed_rows.h"

#include "support/catch.h"
#include "support/skip.h"

#include <cmath>
#include <limits>
#include <random>

namespace packed_rows_test {

namespace {

struct PackedRow {
  float scale = 0.0F;
  std::vector<std::int32_t> bytes;  ///< one each, minus `zero`; the padding too
};

PackedRow packed(const std::vector<float>& row, std::int32_t zero) {
  const auto size = static_cast<std::int64_t>(row.size());
  std::vector<std::int32_t> words(static_cast<std::size_t>((size + 3) / 4), 0x55555555);
  PackedRow result;
  result.scale = dragoman::pack_int8_row(row.data(), size, zero, words.data());
  for (const auto word : words)
    for (unsigned shift = 0; shift < 32; shift += 8) {
      const auto byte = static_cast<std::uint8_t>(word >> shift);
      result.bytes.push_back(zero == 0 ? static_cast<std::int8_t>(byte) : byte - zero);
    }
  return result;
}

using Bytes = std::vector<std::int32_t>;

}  // namespace

TEST_CASE("a row becomes bytes between -127 and 127 and is padded with zeros", "[unit]") {
  for (const std::int32_t zero : {0, 128}) {
    CAPTURE(zero);
    CHECK(packed({3.0F}, zero).bytes == Bytes{127, 0, 0, 0});
    CHECK(packed({-3.0F, 1.5F}, zero).bytes == Bytes{-127, 64, 0, 0});
    CHECK(packed({0.0F, 0.0F, 0.0F}, zero).bytes == Bytes{0, 0, 0, 0});
    CHECK(packed({127.0F, 2.5F, -2.5F, 2.4F, -127.0F}, zero).bytes ==
          Bytes{127, 3, -2, 2, -127, 0, 0, 0});
    const float largest = std::numeric_limits<float>::max();
    CHECK(packed({largest, -largest, largest / 2}, zero).bytes == Bytes{127, -127, 64, 0});
    CHECK(packed({largest}, zero).scale == largest / 127.0F);
  }
}

TEST_CASE("tiny rows become zeros, and rows that are not finite have no scale", "[unit]") {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  for (const std::int32_t zero : {0, 128}) {
    CAPTURE(zero);
    const float subnormal = std::numeric_limits<float>::denorm_min();
    CHECK(packed({subnormal, -1e-30F}, zero).bytes == Bytes{0, 0, 0, 0});
    CHECK(packed({1e-27F, -1e-27F}, zero).bytes == Bytes{127, -127, 0, 0});
    for (const float x : {infinity, -infinity, std::numeric_limits<float>::quiet_NaN()})
      CHECK(std::isnan(packed({1.0F, x, 2.0F, 3.0F, 4.0F}, zero).scale));
  }
}

TEST_CASE("rows are split into magnitudes and signs, or into their words that are not zero",
          "[unit]") {
  if (dragoman::avx2_kernel(dragoman::WeightType::int8) == nullptr)
    return test::skip("this processor has no AVX2, for which rows are split");
  std::mt19937 random(6);
  for (std::int64_t depth = 1; depth < 40; ++depth)
    for (const bool negative : {false, true}) {
      CAPTURE(depth, negative);
      std::vector<std::int32_t> bytes(static_cast<std::size_t>(depth), -2139062144);  // 128 each
      for (auto& word : bytes)
        if (random() % 3 != 0) word ^= static_cast<std::int32_t>(random() & 0x7F7F7F7FU);
      if (negative) bytes.back() = static_cast<std::int32_t>(0x80808001U);  // -127 and zeros
      dragoman::SplitInt8 split;
      split.resize(2, depth);
      split.set(1, bytes.data());
      const auto rows = split.rows();
      CHECK(rows.negatives[1] == (negative ? 127 : 0));
      std::int64_t next = depth, left_out = 0;
      for (std::int64_t p = 0; p < depth; ++p) {
        const auto word = bytes[static_cast<std::size_t>(p)] ^ -2139062144;
        if (negative) {
          const bool last = p + 1 == depth;
          CHECK(rows.magnitudes[depth + p] == (last ? 127 : word));
          CHECK(rows.masks[depth + p] == (last ? 255 : 0));
        } else if (word == 0) {
          ++left_out;
        } else {
          CHECK(rows.magnitudes[next] == word);
          CHECK(rows.places[next++] == p);
        }
      }
      CHECK(rows.words[1] == depth - left_out);
    }
}

}  // namespace packed_rows_test
