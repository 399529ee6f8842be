#pragma once

#include "dragoman/core/aligned_vector.h"

#include <cstdint>
#include <vector>

// Products with a matrix most of whose numbers are zero, such as what is behind relu in a model
// that has been trained for a while: one of ten is not. All numbers are float32.
namespace dragoman {

/// The numbers of a matrix that are not zero, in compressed sparse rows (CSR): those of row r are
/// at the places from starts[r] to starts[r + 1] - 1.
struct SparseMatrix {
  std::int64_t columns = 0;
  std::vector<std::int64_t> starts = {0};  ///< [rows + 1]
  std::vector<std::int32_t> column;        ///< [count], of each number; ascending within a row
  std::vector<float> values;               ///< [count]

  std::int64_t rows() const { return std::ssize(starts) - 1; }
  std::int64_t count() const { return starts.back(); }
};

/// Lists the numbers of `x` that are not zero. NaN and -0 are listed, too.
/// \param x [rows, columns]
/// \param most share of all numbers that may be listed
/// \return false if there are more, or so many in the first rows that more are likely; `matrix` is
///     then of no use
bool list_nonzero(const float* x, std::int64_t rows, std::int64_t columns, double most,
                  SparseMatrix& matrix);

/// A matrix's transpose without values, and where each of them is in the matrix.
struct Transposition {
  SparseMatrix matrix;
  std::vector<std::int32_t> from;  ///< [count]

  /// The transpose with these values of the matrix.
  void take(const std::vector<float>& values);
};

/// \param matrix fewer than 2^31 numbers
Transposition transposition_of(const SparseMatrix& matrix);

/// The right factor of products with sparse matrices, in the order in which they read it: a few
/// columns of all rows after the other, as many as a processor has sums in registers.
class DensePanels {
 public:
  /// \param b [depth, columns]
  /// \param columns a multiple of `small::lanes`
  void pack(const float* b, std::int64_t depth, std::int64_t columns);

  /// \param b [columns, depth], whose transpose is packed
  void pack_transposed(const float* b, std::int64_t depth, std::int64_t columns);

  std::int64_t depth() const { return depth_; }
  std::int64_t columns() const { return columns_; }
  std::int64_t width() const { return width_; }  ///< columns of a panel
  std::int64_t panels() const { return (columns_ + width_ - 1) / width_; }

  /// [depth, width] \param number of the panel; the last one is padded with zeros
  const float* panel(std::int64_t number) const {
    return numbers_.data() + number * depth_ * width_;
  }

 private:
  void resize(std::int64_t depth, std::int64_t columns);

  std::int64_t depth_ = 0, columns_ = 0, width_ = 1;
  AlignedVector<float> numbers_;
};

/// c = a b + bias, in the rows from `first` to `last` - 1.
/// \param bias [columns of b], null = 0
/// \param c [rows of a, columns of b]
void multiply_sparse(const SparseMatrix& a, const DensePanels& b, const float* bias, float* c,
                     std::int64_t first, std::int64_t last);

/// The numbers of g b^T that are at the places of `a`'s (a sampled dense-dense product, SDDMM), in
/// the rows from `first` to `last` - 1.
/// \param g [rows of a, columns of b]; the rows of b belong to the columns of a
/// \param products [count of a]
void multiply_at_places(const SparseMatrix& a, const float* g, const DensePanels& b,
                        float* products, std::int64_t first, std::int64_t last);

}  // namespace dragoman
