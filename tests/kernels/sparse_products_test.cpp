#include "dragoman/kernels/sparse_products.h"

#include "kernels/attention_reference.h"
#include "support/catch.h"

#include <algorithm>
#include <random>
#include <vector>

namespace sparse_products_test {

namespace {

using dragoman::DensePanels;
using dragoman::SparseMatrix;

/// Normal numbers, of which about `share` are not zero; row 1 has none.
std::vector<float> sparse_numbers(std::int64_t rows, std::int64_t columns, double share) {
  auto x = test::normal_numbers(rows * columns, 5);
  std::mt19937 random(6);
  std::bernoulli_distribution kept(share);
  for (std::size_t i = 0; i < x.size(); ++i)
    if (!kept(random) || static_cast<std::int64_t>(i) / columns == 1) x[i] = 0.0F;
  return x;
}

SparseMatrix listed(const std::vector<float>& x, std::int64_t rows, std::int64_t columns) {
  SparseMatrix matrix;
  REQUIRE(dragoman::list_nonzero(x.data(), rows, columns, 1.0, matrix));
  return matrix;
}

std::vector<float> dense(const SparseMatrix& matrix) {
  std::vector<float> x(static_cast<std::size_t>(matrix.rows() * matrix.columns));
  for (std::int64_t row = 0; row < matrix.rows(); ++row)
    for (auto i = matrix.starts[static_cast<std::size_t>(row)];
         i < matrix.starts[static_cast<std::size_t>(row + 1)]; ++i) {
      const auto place = static_cast<std::size_t>(i);
      x[static_cast<std::size_t>(row * matrix.columns + matrix.column[place])] =
          matrix.values[place];
    }
  return x;
}

std::vector<float> transposed(const std::vector<float>& x, std::int64_t rows,
                              std::int64_t columns) {
  std::vector<float> result;
  for (std::int64_t column = 0; column < columns; ++column)
    for (std::int64_t row = 0; row < rows; ++row)
      result.push_back(x[static_cast<std::size_t>(row * columns + column)]);
  return result;
}

/// a b + bias in double.
std::vector<double> product(const std::vector<float>& a, const std::vector<float>& b,
                            const std::vector<float>& bias, std::int64_t rows, std::int64_t depth) {
  const auto columns = std::ssize(b) / depth;
  std::vector<double> c;
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t column = 0; column < columns; ++column) {
      double sum = bias.empty() ? 0.0 : static_cast<double>(bias[static_cast<std::size_t>(column)]);
      for (std::int64_t p = 0; p < depth; ++p)
        sum += static_cast<double>(a[static_cast<std::size_t>(row * depth + p)]) *
               static_cast<double>(b[static_cast<std::size_t>(p * columns + column)]);
      c.push_back(sum);
    }
  return c;
}

}  // namespace

TEST_CASE("the numbers that are not zero are listed, unless there are too many", "[unit]") {
  for (const std::int64_t columns : {1, 7, 8, 9, 50}) {
    const auto x = sparse_numbers(20, columns, 0.3);
    const auto matrix = listed(x, 20, columns);
    CHECK(matrix.columns == columns);
    CHECK(matrix.count() == std::ssize(x) - std::count(x.begin(), x.end(), 0.0F));
    CHECK(dense(matrix) == x);
  }
  SparseMatrix matrix;
  const auto x = sparse_numbers(200, 50, 0.3);
  CHECK(dragoman::list_nonzero(x.data(), 200, 50, 0.35, matrix));
  CHECK_FALSE(dragoman::list_nonzero(x.data(), 200, 50, 0.25, matrix));
  auto dense_first = std::vector<float>(5000);
  std::fill_n(dense_first.begin(), 150, 1.0F);
  CHECK_FALSE(dragoman::list_nonzero(dense_first.data(), 100, 50, 0.25, matrix));
  CHECK(dragoman::list_nonzero(x.data(), 0, 50, 0.25, matrix));
  CHECK(matrix.rows() == 0);
}

TEST_CASE("the transpose takes any values of the same places", "[unit]") {
  const auto x = sparse_numbers(13, 29, 0.2);
  auto matrix = listed(x, 13, 29);
  auto transpose = transposition_of(matrix);
  transpose.take(matrix.values);
  CHECK(dense(transpose.matrix) == transposed(x, 13, 29));
  for (auto& value : matrix.values) value = -2.0F * value;
  transpose.take(matrix.values);
  CHECK(dense(transpose.matrix) == transposed(dense(matrix), 13, 29));
}

TEST_CASE("sparse times dense is their product, for either form of the dense factor",
          "[property]") {
  constexpr std::int64_t rows = 21;
  for (const std::int64_t depth : {1, 40, 131})
    for (const std::int64_t columns : {16, 48, 64, 128, 208}) {
      CAPTURE(depth, columns);
      const auto x = sparse_numbers(rows, depth, 0.2);
      const auto b = test::normal_numbers(depth * columns, 7),
                 bias = test::normal_numbers(columns, 8);
      const auto a = listed(x, rows, depth);
      DensePanels panels, of_transpose;
      panels.pack(b.data(), depth, columns);
      of_transpose.pack_transposed(transposed(b, depth, columns).data(), depth, columns);
      std::vector<float> c(static_cast<std::size_t>(rows * columns), -7.0F), other(c), plain(c);
      multiply_sparse(a, panels, bias.data(), c.data(), 0, rows);
      CHECK(test::largest_difference(c.data(), product(x, b, bias, rows, depth)) < 2e-5);
      multiply_sparse(a, of_transpose, bias.data(), other.data(), 0, 5);
      multiply_sparse(a, of_transpose, bias.data(), other.data(), 5, rows);
      CHECK(other == c);
      multiply_sparse(a, panels, nullptr, plain.data(), 0, rows);
      CHECK(test::largest_difference(plain.data(), product(x, b, {}, rows, depth)) < 2e-5);
    }
}

TEST_CASE("products at the places of a sparse matrix are those of the dense factors",
          "[property]") {
  constexpr std::int64_t rows = 21;
  for (const std::int64_t depth : {1, 40, 131})
    for (const std::int64_t columns : {16, 48, 64, 128, 208}) {
      CAPTURE(depth, columns);
      const auto a = listed(sparse_numbers(rows, depth, 0.4), rows, depth);
      const auto b = test::normal_numbers(depth * columns, 7),
                 g = test::normal_numbers(rows * columns, 8);
      DensePanels panels;
      panels.pack(b.data(), depth, columns);
      auto found = a;
      multiply_at_places(a, g.data(), panels, found.values.data(), 0, 5);
      multiply_at_places(a, g.data(), panels, found.values.data(), 5, rows);
      auto expected = product(g, transposed(b, depth, columns), {}, rows, columns);
      const auto places = dense(a);
      for (std::size_t i = 0; i < expected.size(); ++i)
        if (places[i] == 0.0F) expected[i] = 0.0;
      const auto all = dense(found);
      CHECK(test::largest_difference(all.data(), expected) < 2e-4);
    }
}

}  // namespace sparse_products_test
