#pragma once

#include "dragoman/attention/key_value.h"
#include "dragoman/attention/key_value_store.h"

#include <cstdint>
#include <vector>

namespace dragoman {

/// Keys and values of the tokens seen so far, for step-by-step decoding.
///
/// On a CPU, the projection of each token is stored once and never moved: reordering rows, as beam
/// search does at nearly every step, only records which row of each token a row continues, and
/// `cached_attention` reads them in place. On other devices they are in a `KeyValueStore`.
class KeyValueCache {
 public:
  /// \param next keys and values of one more token, [rows, num_heads, 1, width]
  void append(const KeyValue& next);

  /// What was appended: [rows, num_heads, length, width].
  KeyValue used() const;

  /// The same of some tokens, by their places: [rows, num_heads, tokens, width].
  KeyValue some(const std::vector<std::int64_t>& tokens) const;

  /// New row i continues old row rows[i]. \param rows [new_rows] int64
  void select_rows(const at::Tensor& rows);

  std::int64_t length() const { return std::ssize(tokens_) + store_.length(); }
  std::int64_t rows() const { return tokens_.empty() ? store_.rows() : origin_.size(1); }

  /// Keys and values of token t on a CPU: [rows at that time, num_heads, width].
  const KeyValue& token(std::int64_t t) const { return tokens_[static_cast<std::size_t>(t)]; }

  /// Which row of token t a row continues, on a CPU: [length, rows] int64.
  const at::Tensor& origin() const { return origin_; }

 private:
  std::vector<KeyValue> tokens_;  ///< on a CPU
  at::Tensor origin_;
  KeyValueStore store_;  ///< on other devices
};

}  // namespace dragoman
