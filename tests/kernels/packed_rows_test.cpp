#include "dragoman/kernels/packed_rows.h"

#include "support/catch.h"
#include "support/skip.h"

#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace packed_rows_test {

using dragoman::WeightType;

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

constexpr auto zeros = static_cast<std::int32_t>(0x80808080U);  // of unsigned bytes

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

#ifdef __x86_64__

TEST_CASE("rows are split into magnitudes and signs", "[unit]") {
  if (dragoman::avx2_kernel(WeightType::int8) == nullptr)
    return test::skip("this processor has no AVX2, for which rows are split");
  for (std::int64_t depth = 1; depth < 40; ++depth) {
    CAPTURE(depth);
    std::vector<std::int32_t> bytes(static_cast<std::size_t>(2 * depth), zeros);
    bytes[static_cast<std::size_t>(depth)] = 0x7F828001;    // -1, 2, 0, -127 from the highest on
    bytes.back() = static_cast<std::int32_t>(0x80808001U);  // -127 in the lowest
    dragoman::SplitInt8 split;
    split.set(bytes.data(), 2, depth);
    const auto rows = split.rows();
    CHECK(rows.negatives[0] == 0);
    CHECK(rows.negatives[1] == (depth == 1 ? 127 : 255));
    for (std::int64_t p = 0; p < 2 * depth - 1; ++p) {
      const bool first = p == depth;
      CHECK(rows.magnitudes[p] == (first ? 0x0102007F : 0));
      CHECK(rows.masks[p] == (first ? static_cast<std::int32_t>(0xFF0000FFU) : 0));
    }
    CHECK(rows.magnitudes[2 * depth - 1] == 127);
    CHECK(rows.masks[2 * depth - 1] == 255);
  }
}

#endif

TEST_CASE("sparse rows are the words that are not zero, and their places", "[unit]") {
  std::mt19937 random(6);
  for (const auto type : {WeightType::float32, WeightType::bf16, WeightType::int8})
    for (std::int64_t depth = 1; depth < 80; ++depth) {
      CAPTURE(depth);
      const auto zero = type == WeightType::int8 ? zeros : 0;
      std::vector<std::int32_t> words(static_cast<std::size_t>(3 * depth), zero);
      for (auto& word : words)
        if (random() % 3 == 0) word |= static_cast<std::int32_t>(random() & 0x7F7F7F7FU);
      dragoman::SparseInt32 sparse;
      CHECK(sparse.rows().words == nullptr);
      REQUIRE(sparse.set(words.data(), 3, depth, type, 1.0));
      const auto rows = sparse.rows();
      for (std::int64_t row = 0; row < 3; ++row) {
        std::int32_t count = 0;
        for (std::int64_t p = 0; p < depth; ++p) {
          const auto word = words[static_cast<std::size_t>(row * depth + p)] ^ zero;
          if (word == 0) continue;
          CHECK(rows.words[row * depth + count] == word);
          CHECK(rows.places[row * depth + count] == p);
          ++count;
        }
        CHECK(rows.counts[row] == count);
      }
    }
}

TEST_CASE("rows with too few zeros are not sparse, nor are those with negative bytes", "[unit]") {
  const auto is_sparse = [](std::vector<std::int32_t> words, WeightType type, double most) {
    dragoman::SparseInt32 sparse;
    const bool result = sparse.set(words.data(), 2, std::ssize(words) / 2, type, most);
    CHECK((sparse.rows().words != nullptr) == result);
    return result;
  };
  std::vector<std::int32_t> words(200);
  for (std::size_t i = 0; i < words.size(); i += 5) words[i] = 7;  // 20 %
  CHECK(is_sparse(words, WeightType::float32, 0.2));
  CHECK_FALSE(is_sparse(words, WeightType::float32, 0.19));
  CHECK_FALSE(is_sparse(words, WeightType::float32, 0.0));
  CHECK_FALSE(is_sparse(std::vector(200, 7), WeightType::float32, 0.4));
  CHECK(is_sparse(std::vector(200, 7), WeightType::float32, 1.0));
  for (auto& word : words) word ^= zeros;
  CHECK(is_sparse(words, WeightType::int8, 0.2));
  for (const std::size_t place : {0U, 199U}) {
    auto other = words;
    other[place] = 0x7F;  // -128 and -1
    CHECK_FALSE(is_sparse(other, WeightType::int8, 1.0));
  }
}

}  // namespace packed_rows_test
