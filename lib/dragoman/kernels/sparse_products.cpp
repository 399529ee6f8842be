#include "dragoman/kernels/sparse_products.h"

#include "dragoman/core/simd.h"
#include "dragoman/kernels/packed_kernel.h"
#include "dragoman/kernels/small_products.h"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace dragoman {

using small::lanes;

namespace {

/// Vectors of a panel: their sums fill half of the registers of a processor with 16.
template <typename Vector>
constexpr int panel_vectors = 8 / Vector::parts;

std::int64_t panel_width() {
  std::int64_t width = 0;
  run_on_this_cpu([&](auto number) __attribute__((always_inline)) {
    width = panel_vectors<small::Vector<number>> * lanes;
  });
  return width;
}

/// \param left columns of the result from the panel's first on
template <typename Vector>
DRAGOMAN_INLINE void multiply_panel(const SparseMatrix& a, const float* panel, const float* bias,
                                    std::int64_t left, float* c, std::int64_t row_of_c,
                                    std::int64_t first, std::int64_t last) {
  constexpr int vectors = panel_vectors<Vector>;
  for (auto row = first; row < last; ++row) {
    Vector sums[vectors] = {};
    const auto end = a.starts[static_cast<std::size_t>(row + 1)];
    for (auto i = a.starts[static_cast<std::size_t>(row)]; i < end; ++i) {
      const auto place = static_cast<std::size_t>(i);
      const float* b = panel + a.column[place] * vectors * lanes;
      for (int v = 0; v < vectors; ++v) {
        Vector numbers;
        small::load(numbers, b + v * lanes);
        sums[v] += numbers * a.values[place];
      }
    }
    for (int v = 0; v < vectors && v * lanes < left; ++v) {
      if (bias != nullptr) {
        Vector more;
        small::load(more, bias + v * lanes);
        sums[v] += more;
      }
      small::store(c + row * row_of_c + v * lanes, sums[v]);
    }
  }
}

/// Adds a panel's part of the products of one row.
/// \param g the row's numbers for the panel, padded with zeros
template <typename Vector>
DRAGOMAN_INLINE void add_row_at_places(const SparseMatrix& a, std::int64_t row, const float* g,
                                       const float* panel, float* products) {
  constexpr std::int64_t width = panel_vectors<Vector> * lanes;
  const auto end = a.starts[static_cast<std::size_t>(row + 1)];
  for (auto first = a.starts[static_cast<std::size_t>(row)]; first < end; first += lanes) {
    const auto count = std::min(lanes, end - first);
    Vector each[lanes] = {};
    for (std::int64_t j = 0; j < count; ++j)
      small::add_products(each[j], g, panel + a.column[static_cast<std::size_t>(first + j)] * width,
                          width);
    float sums[lanes];
    small::store(sums, small::sum_each(each));
    for (std::int64_t j = 0; j < count; ++j) products[first + j] += sums[j];
  }
}

template <typename Vector>
DRAGOMAN_INLINE void add_at_places(const SparseMatrix& a, const float* g, const DensePanels& b,
                                   std::int64_t number, float* products, std::int64_t first_row,
                                   std::int64_t last_row) {
  constexpr std::int64_t width = panel_vectors<Vector> * lanes;
  const auto first = number * width, left = std::min(width, b.columns() - first);
  float padded[width] = {};
  for (auto row = first_row; row < last_row; ++row) {
    const float* own = g + row * b.columns() + first;
    if (left < width) own = std::copy_n(own, left, padded) - left;
    add_row_at_places<Vector>(a, row, own, b.panel(number), products);
  }
}

}  // namespace

bool list_nonzero(const float* x, std::int64_t rows, std::int64_t columns, double most,
                  SparseMatrix& matrix) {
  matrix = {};
  matrix.columns = columns;
  matrix.starts.reserve(static_cast<std::size_t>(rows + 1));
  std::vector<std::int32_t> words(static_cast<std::size_t>(columns)), places(words.size());
  const auto limit = static_cast<std::int64_t>(most * static_cast<double>(rows * columns));
  for (std::int64_t row = 0; row < rows; ++row) {
    // Most matrices that have too many show it in the first rows.
    const auto seen = static_cast<double>((row + 4) * columns);
    const auto listed = list_words(reinterpret_cast<const std::int32_t*>(x + row * columns),
                                   columns, 0, words.data(), places.data());
    const auto count = matrix.count() + listed.count;
    if (count > limit || static_cast<double>(count) > most * seen) return false;
    matrix.starts.push_back(count);
    matrix.column.insert(matrix.column.end(), places.begin(), places.begin() + listed.count);
    matrix.values.resize(matrix.column.size());
    std::memcpy(matrix.values.data() + matrix.values.size() - listed.count, words.data(),
                static_cast<std::size_t>(listed.count) * sizeof(float));
  }
  matrix.column.shrink_to_fit();
  matrix.values.shrink_to_fit();
  return true;
}

Transposition transposition_of(const SparseMatrix& matrix) {
  Transposition result;
  result.matrix.columns = matrix.rows();
  auto& starts = result.matrix.starts;
  starts.assign(static_cast<std::size_t>(matrix.columns + 1), 0);
  for (const auto column : matrix.column) ++starts[static_cast<std::size_t>(column) + 1];
  for (std::size_t i = 1; i < starts.size(); ++i) starts[i] += starts[i - 1];
  result.matrix.column.resize(matrix.column.size());
  result.from.resize(matrix.column.size());
  auto next = starts;
  for (std::int64_t row = 0; row < matrix.rows(); ++row) {
    const auto end = matrix.starts[static_cast<std::size_t>(row + 1)];
    for (auto i = matrix.starts[static_cast<std::size_t>(row)]; i < end; ++i) {
      auto& place = next[static_cast<std::size_t>(matrix.column[static_cast<std::size_t>(i)])];
      result.matrix.column[static_cast<std::size_t>(place)] = static_cast<std::int32_t>(row);
      result.from[static_cast<std::size_t>(place)] = static_cast<std::int32_t>(i);
      ++place;
    }
  }
  return result;
}

void Transposition::take(const std::vector<float>& values) {
  matrix.values.resize(from.size());
  for (std::size_t i = 0; i < from.size(); ++i)
    matrix.values[i] = values[static_cast<std::size_t>(from[i])];
}

void DensePanels::resize(std::int64_t depth, std::int64_t columns) {
  depth_ = depth;
  columns_ = columns;
  width_ = panel_width();
  numbers_.resize(static_cast<std::size_t>(panels() * depth_ * width_));
}

void DensePanels::pack(const float* b, std::int64_t depth, std::int64_t columns) {
  resize(depth, columns);
  auto* to = numbers_.data();
  for (std::int64_t first = 0; first < columns; first += width_) {
    const auto count = std::min(width_, columns - first);
    for (std::int64_t p = 0; p < depth; ++p, to += width_)
      std::fill_n(std::copy_n(b + p * columns + first, count, to), width_ - count, 0.0F);
  }
}

void DensePanels::pack_transposed(const float* b, std::int64_t depth, std::int64_t columns) {
  resize(depth, columns);
  constexpr std::int64_t some = 16;  // so that what is written stays in the nearest cache
  auto* to = numbers_.data();
  for (std::int64_t first = 0; first < columns; first += width_, to += depth * width_) {
    const auto count = std::min(width_, columns - first);
    if (count < width_) std::fill_n(to, depth * width_, 0.0F);
    for (std::int64_t p = 0; p < depth; p += some)
      for (std::int64_t j = 0; j < count; ++j)
        for (auto q = p; q < std::min(p + some, depth); ++q)
          to[q * width_ + j] = b[(first + j) * depth + q];
  }
}

void multiply_sparse(const SparseMatrix& a, const DensePanels& b, const float* bias, float* c,
                     std::int64_t first, std::int64_t last) {
  for (std::int64_t number = 0; number < b.panels(); ++number) {
    const auto column = number * b.width();
    run_on_this_cpu([&](auto width) __attribute__((always_inline)) {
      multiply_panel<small::Vector<width>>(
          a, b.panel(number), bias != nullptr ? bias + column : nullptr, b.columns() - column,
          c + column, b.columns(), first, last);
    });
  }
}

void multiply_at_places(const SparseMatrix& a, const float* g, const DensePanels& b,
                        float* products, std::int64_t first, std::int64_t last) {
  std::fill(products + a.starts[static_cast<std::size_t>(first)],
            products + a.starts[static_cast<std::size_t>(last)], 0.0F);
  for (std::int64_t number = 0; number < b.panels(); ++number)
    run_on_this_cpu([&](auto width) __attribute__((always_inline)) {
      add_at_places<small::Vector<width>>(a, g, b, number, products, first, last);
    });
}

}  // namespace dragoman
