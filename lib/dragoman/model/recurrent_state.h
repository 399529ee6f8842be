#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace dragoman {

/// The state of a recurrence after all tokens seen so far; its size does not grow with their
/// number.
struct RecurrentState {
  at::Tensor hidden;        ///< [rows, d_model]; undefined before the first token
  at::Tensor cell;          ///< the same shape; of an LSTM only
  std::int64_t tokens = 0;  ///< seen so far; of average attention only

  /// New row i continues old row rows[i]. \param rows [new_rows] int64
  void select_rows(const at::Tensor& rows);

  std::int64_t rows() const { return hidden.defined() ? hidden.size(0) : 0; }
};

}  // namespace dragoman
