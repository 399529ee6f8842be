#pragma once

#include "dragoman/attention/key_value.h"

#include <cstdint>

namespace dragoman {

/// Keys and values of the tokens seen so far, for step-by-step decoding.
///
/// The buffers lie in memory as [capacity, rows, num_heads, width]: a new token is one write
/// behind the last, and a reordering of rows copies the used part and nothing else. The capacity
/// doubles when it is used up.
class KeyValueCache {
 public:
  /// \param next keys and values of one more token, [rows, num_heads, 1, width]
  void append(const KeyValue& next);

  /// What was appended: [rows, num_heads, length, width], views of the buffers.
  KeyValue used() const;

  /// New row i continues old row rows[i]. \param rows [new_rows] int64
  void select_rows(const at::Tensor& rows);

  std::int64_t length() const { return length_; }  ///< tokens appended so far
  std::int64_t rows() const { return length_ == 0 ? 0 : key_.size(1); }

 private:
  at::Tensor key_, value_;  // [capacity, rows, num_heads, width]
  std::int64_t length_ = 0;
};

}  // namespace dragoman
