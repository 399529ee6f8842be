#include "dragoman/kernels/packed_kernel.h"

#include "dragoman/kernels/packed_rows.h"
#include "kernels/packed_reference.h"
#include "support/catch.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace packed_loops_test {

using dragoman::PackedProduct;
using dragoman::WeightType;

namespace {

/// The factors of a product, at random, with the other numbers that each type needs.
class Factors {
 public:
  Factors(WeightType type, std::int64_t rows, std::int64_t columns, std::int64_t depth)
      : type_(type),
        rows_(rows),
        columns_(columns),
        depth_(depth),
        panels_((columns + dragoman::panel_columns - 1) / dragoman::panel_columns) {
    const auto padded = panels_ * dragoman::panel_columns;
    fill_words(a_, rows * depth, type);
    fill_words(b_, padded * depth, type);
    if (type == WeightType::int8)
      for (auto& word : b_) word = without_least_byte(word);
    fill(bias_, padded);
    fill(row_scale_, rows);
    fill(column_scale_, padded);
    fill(residual_, rows * columns);
    for (std::int64_t column = 0; column < padded; ++column) start_.push_back(start_of(column));
    if (type == WeightType::int8) split_.set(a_.data(), rows, depth);
  }

  /// From now on, only a third of the words, without negative bytes, differ from zero, and products
  /// have them as sparse rows. Nothing but zeros in row 2.
  void make_sparse() {
    const auto negative = static_cast<std::int32_t>(0x80808080U);
    for (std::size_t i = 0; i < a_.size(); ++i) {
      const bool zero = i % 3 != 1 || static_cast<std::int64_t>(i) / depth_ == 2;
      if (type_ == WeightType::int8)
        a_[i] = zero ? negative : a_[i] | negative;
      else if (zero)
        a_[i] = 0;
    }
    if (type_ == WeightType::int8) split_.set(a_.data(), rows_, depth_);
    CHECK(sparse_.set(a_.data(), rows_, depth_, type_, 1.0) == (rows_ > 0));
  }

  /// \param c [rows, columns]
  PackedProduct product(bool relu, bool add, std::vector<float>& c) const {
    c.assign(residual_.size(), 0.0F);
    return {.rows = rows_,
            .columns = columns_,
            .depth = depth_,
            .a = a_.data(),
            .b = b_.data(),
            .bias = bias_.data(),
            .row_scale = row_scale_.data(),
            .sparse = sparse_.rows(),
            .split = split_.rows(),
            .column_scale = column_scale_.data(),
            .start = start_.data(),
            .relu = relu,
            .residual = add ? residual_.data() : nullptr,
            .c = c.data()};
  }

  std::int64_t panels() const { return panels_; }

 private:
  void fill(std::vector<float>& numbers, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) numbers.push_back(normal_(random_));
  }

  void fill_words(std::vector<std::int32_t>& words, std::int64_t count, WeightType type) {
    for (std::int64_t i = 0; i < count; ++i) {
      const auto bits = std::bit_cast<std::uint32_t>(normal_(random_));
      const auto more = std::bit_cast<std::uint32_t>(normal_(random_));
      const std::uint32_t word = type == WeightType::float32 ? bits
                                 : type == WeightType::bf16  ? (bits >> 16U) | (more & 0xFFFF0000U)
                                                             : bits * 2654435769U + more;
      words.push_back(static_cast<std::int32_t>(word));
    }
  }

  /// Each byte that is -128, which weights never are, becomes -127.
  static std::int32_t without_least_byte(std::int32_t word) {
    auto bytes = std::bit_cast<std::array<std::int8_t, 4>>(word);
    for (auto& byte : bytes) byte = std::max<std::int8_t>(byte, -127);
    return std::bit_cast<std::int32_t>(bytes);
  }

  std::int32_t start_of(std::int64_t column) const {
    const auto within = column % dragoman::panel_columns;
    std::int32_t sum = 0;
    for (std::int64_t p = 0; p < depth_; ++p)
      for (unsigned shift = 0; shift < 32; shift += 8)
        sum += static_cast<std::int8_t>(
            b_[static_cast<std::size_t>((column - within) * depth_ + p * dragoman::panel_columns +
                                        within)] >>
            shift);
    return -128 * sum;
  }

  WeightType type_;
  std::int64_t rows_, columns_, depth_, panels_;
  std::vector<std::int32_t> a_, b_, start_;
  dragoman::SparseInt32 sparse_;
  dragoman::SplitInt8 split_;
  std::vector<float> bias_, row_scale_, column_scale_, residual_;
  std::mt19937 random_{4};
  std::normal_distribution<float> normal_;
};

/// int8 must have the reference's bits.
void check_equal(const dragoman::PackedLoops& loops, WeightType type, const Factors& factors,
                 bool relu, bool add) {
  std::vector<float> expected, found;
  test::multiply_plainly(factors.product(relu, add, expected), type);
  const auto product = factors.product(relu, add, found);
  loops.kernel(product, 0, 1);
  loops.kernel(product, 1, factors.panels());
  if (add) {
    std::vector<float> in_place(product.residual, product.residual + found.size());
    auto same = product;
    same.residual = same.c = in_place.data();
    loops.kernel(same, 0, factors.panels());
    CHECK(in_place == found);
  }
  if (type == WeightType::int8) {
    CHECK(found == expected);
    return;
  }
  double largest = 0.0;
  for (std::size_t i = 0; i < found.size(); ++i)
    largest = std::max(largest, std::abs(static_cast<double>(found[i]) - expected[i]) /
                                    (0.3 + std::abs(static_cast<double>(expected[i]))));
  CHECK(largest < 1e-5);
}

std::int32_t four_bytes(std::int32_t byte) {
  return std::bit_cast<std::int32_t>(0x01010101U * static_cast<std::uint8_t>(byte));
}

}  // namespace

TEST_CASE("the loops of every instruction set compute what one number after the other gives",
          "[property]") {
  for (const auto type : {WeightType::float32, WeightType::bf16, WeightType::int8})
    for (const auto& loops : dragoman::packed_loops(type))
      for (const std::int64_t rows : {0, 1, 2, 3, 4, 5, 6, 7, 8, 13, 16, 31, 33, 70})
        for (const std::int64_t columns : {1, 8, 17, 64, 100, 130})
          for (const std::int64_t depth : {1, 9, 32, 40}) {
            CAPTURE(loops.instructions, rows, columns, depth);
            Factors factors(type, rows, columns, depth);
            check_equal(loops, type, factors, false, false);
            check_equal(loops, type, factors, true, columns % 2 == 0);
            check_equal(loops, type, factors, false, true);
            factors.make_sparse();
            check_equal(loops, type, factors, columns % 2 == 0, true);
          }
}

TEST_CASE("sparse rows have the same sums as all of their words", "[property]") {
  for (const auto type : {WeightType::float32, WeightType::bf16, WeightType::int8})
    for (const auto& loops : dragoman::packed_loops(type))
      for (const std::int64_t rows : {1, 2, 9})
        for (const std::int64_t columns : {1, 64, 130, 257}) {
          CAPTURE(loops.instructions, rows, columns);
          Factors factors(type, rows, columns, 48);
          factors.make_sparse();
          std::vector<float> of_all, of_sparse;
          auto product = factors.product(false, true, of_sparse);
          loops.kernel(product, 0, factors.panels());
          product = factors.product(false, true, of_all);
          product.sparse = {};
          loops.kernel(product, 0, factors.panels());
          CHECK(of_sparse == of_all);
        }
}

TEST_CASE("products whose results are larger than a cache are the same", "[property]") {
  for (const auto type : {WeightType::bf16, WeightType::int8}) {
    const Factors factors(type, 70, 8000, 16);
    for (const auto& loops : dragoman::packed_loops(type)) {
      CAPTURE(loops.instructions);
      check_equal(loops, type, factors, false, true);
    }
  }
}

TEST_CASE("relu comes before the residual, and neither hides NaN", "[unit]") {
  constexpr std::int64_t depth = 16;  // whole tiles
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> weight{1.0F, -1.0F, nan}, residual{10.0F, 10.0F, 10.0F};
  for (const auto type : {WeightType::float32, WeightType::bf16}) {
    // A bf16 is the upper half of a float32, and the first of a word is its lower half.
    const auto word = [type](float value) {
      const auto bits = std::bit_cast<std::uint32_t>(value);
      return static_cast<std::int32_t>(type == WeightType::bf16 ? bits >> 16U : bits);
    };
    std::vector<std::int32_t> a(depth), b(depth * dragoman::panel_columns);
    a[0] = word(2.0F);
    std::ranges::transform(weight, b.begin(), word);
    for (const auto& [instructions, kernel] : dragoman::packed_loops(type)) {
      CAPTURE(instructions);
      std::vector<float> bias(dragoman::panel_columns), c(3);
      kernel({.rows = 1,
              .columns = 3,
              .depth = depth,
              .a = a.data(),
              .b = b.data(),
              .bias = bias.data(),
              .relu = true,
              .residual = residual.data(),
              .c = c.data()},
             0, 1);
      CHECK(c[0] == 12.0F);
      CHECK(c[1] == 10.0F);
      CHECK(std::isnan(c[2]));
    }
  }
}

TEST_CASE("int8 sums of the largest factors do not saturate", "[unit]") {
  const std::int64_t depth = 304, rows = 9;  // kernels of two rows at once have one left
  const std::int32_t bytes = 4 * depth;
  const std::vector<float> ones(dragoman::panel_columns, 1.0F), zeros(dragoman::panel_columns);
  for (const std::int32_t x : {127, -127})
    for (const std::int32_t weight : {127, -127}) {
      const std::vector<std::int32_t> a(rows * depth, four_bytes(x + 128)),
          b(depth * dragoman::panel_columns, four_bytes(weight)),
          start(dragoman::panel_columns, -128 * bytes * weight);
      dragoman::SparseInt32 sparse;
      CHECK(sparse.set(a.data(), rows, depth, WeightType::int8, 1.0) == (x > 0));
      dragoman::SplitInt8 split;
      split.set(a.data(), rows, depth);
      for (const auto& [instructions, kernel] : dragoman::packed_loops(WeightType::int8)) {
        CAPTURE(instructions, x, weight);
        std::vector<float> c(rows * dragoman::panel_columns);
        kernel({.rows = rows,
                .columns = dragoman::panel_columns,
                .depth = depth,
                .a = a.data(),
                .b = b.data(),
                .bias = zeros.data(),
                .row_scale = ones.data(),
                .sparse = sparse.rows(),
                .split = split.rows(),
                .column_scale = ones.data(),
                .start = start.data(),
                .c = c.data()},
               0, 1);
        for (const float value : c) CHECK(value == static_cast<float>(bytes * x * weight));
      }
    }
}

}  // namespace packed_loops_test
