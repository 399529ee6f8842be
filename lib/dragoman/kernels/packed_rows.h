#pragma once

#include "dragoman/kernels/packed_kernel.h"

#include <cstdint>
#include <vector>

namespace dragoman {

/// Two bf16, rounded to nearest, per word; padded with zeros.
/// \param words [(size + 1) / 2]
void pack_bf16_row(const float* row, std::int64_t size, std::int32_t* words);

/// Four bytes per word: row / scale, rounded, half up, + `zero`; padded with `zero`. The same bytes
/// on every processor.
/// \param words [(size + 3) / 4]
/// \param zero 0 for signed, 128 for unsigned bytes
/// \return scale: the largest magnitude / 127; below 1e-30 all bytes are `zero`; NaN, with bytes of
///     0, if the row contains NaN or infinity
float pack_int8_row(const float* row, std::int64_t size, std::int32_t zero, std::int32_t* words);

/// Makes `SparseRows` and holds them.
class SparseInt32 {
 public:
  /// \param words [rows, depth]
  /// \param type int8: unsigned bytes, 128 represents 0
  /// \param most share of all words that may differ from zero
  /// \return whether the rows are sparse, at which the beginning of the first has the first say; if
  ///     not, `rows` has none
  bool set(const std::int32_t* words, std::int64_t rows, std::int64_t depth, WeightType type,
           double most);
  void clear() { depth_ = 0; }

  SparseRows rows() const;

 private:
  std::int64_t depth_ = 0;  // 0 = the rows are not sparse
  std::vector<std::int32_t> words_, places_, counts_;
};

/// Makes `SplitRows` and holds them.
class SplitInt8 {
 public:
  /// \param bytes [rows, depth] unsigned, 128 represents 0
  void set(const std::int32_t* bytes, std::int64_t rows, std::int64_t depth);

  SplitRows rows() const;

 private:
  std::vector<std::int32_t> magnitudes_, masks_, negatives_;
};

}  // namespace dragoman
