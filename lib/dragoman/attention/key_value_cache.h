#pragma once

#include "dragoman/attention/key_value.h"

#include <cstdint>
#include <vector>

namespace dragoman {

/// Keys and values of the tokens seen so far, for step-by-step decoding.
///
/// The projection of each token is stored once and never moved. Reordering rows, as beam search
/// does at nearly every step, only records which row of each token a row continues.
class KeyValueCache {
 public:
  /// \param next keys and values of one more token, [rows, num_heads, 1, width]
  void append(const KeyValue& next);

  /// What was appended, gathered: [rows, num_heads, length, width].
  KeyValue used() const;

  /// New row i continues old row rows[i]. \param rows [new_rows] int64
  void select_rows(const at::Tensor& rows);

  std::int64_t length() const {
    return static_cast<std::int64_t>(tokens_.size());
  }  ///< tokens appended so far
  std::int64_t rows() const { return tokens_.empty() ? 0 : origin_.size(1); }

  /// Keys and values of token t: [rows at that time, num_heads, width].
  const KeyValue& token(std::int64_t t) const { return tokens_[static_cast<std::size_t>(t)]; }

  /// Which row of token t a row continues: [length, rows] int64.
  const at::Tensor& origin() const { return origin_; }

 private:
  std::vector<KeyValue> tokens_;
  at::Tensor origin_;
};

}  // namespace dragoman
