#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace dragoman {

/// The state of a recurrence after all tokens seen so far; its size does not grow with their
/// number.
struct RecurrentState {
  /// [rows, d_model], undefined before the first token: h_t of an LSTM, c_t of an SSRU, the sum of
  /// the inputs of average attention.
  at::Tensor hidden;
  at::Tensor cell;          ///< c_t of an LSTM, the same shape
  std::int64_t tokens = 0;  ///< seen so far; of average attention only

  /// New row i continues old row rows[i]. \param rows [new_rows] int64
  void select_rows(const at::Tensor& rows);

  std::int64_t rows() const { return hidden.defined() ? hidden.size(0) : 0; }
};

}  // namespace dragoman
