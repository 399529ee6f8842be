#pragma once

#include "dragoman/attention/key_value.h"

#include <cstdint>
#include <vector>

namespace dragoman {

/// Keys and values of the tokens seen so far in storage that is allocated in advance, for
/// step-by-step decoding where a call costs more than a copy, as on a GPU: appending a token writes
/// its place, reading takes views, and reordering rows is one operation for all keys and values.
class KeyValueStore {
 public:
  KeyValueStore() = default;
  ~KeyValueStore() = default;
  KeyValueStore(KeyValueStore&&) = default;
  KeyValueStore& operator=(KeyValueStore&&) = default;
  /// A copy has storage of its own, since tokens are written in place.
  KeyValueStore(const KeyValueStore& other);
  KeyValueStore& operator=(const KeyValueStore& other);

  /// \param next keys and values of one more token, [rows, num_heads, 1, width]
  void append(const KeyValue& next);

  /// Views of what was appended: [rows, num_heads, length, width].
  KeyValue used() const;

  /// Copies of some tokens, by their places: [rows, num_heads, tokens, width].
  KeyValue some(const std::vector<std::int64_t>& tokens) const;

  /// New row i continues old row rows[i]. \param rows [new_rows] int64
  void select_rows(const at::Tensor& rows);

  std::int64_t length() const { return length_; }  ///< tokens appended so far
  std::int64_t rows() const { return length_ == 0 ? 0 : tokens_.size(1); }

 private:
  void make_room(const KeyValue& next);
  KeyValue parts_of(const at::Tensor& tokens) const;

  /// [capacity, rows, num_heads, d_k + d_v], a token's key before its value. The tokens come first,
  /// so that those in use are contiguous.
  at::Tensor tokens_;
  at::Tensor spare_;  ///< takes the reordered tokens; undefined until rows are selected
  std::int64_t length_ = 0;
  std::int64_t d_k_ = 0;
};

}  // namespace dragoman
