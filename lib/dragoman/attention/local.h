#pragma once

#include "dragoman/attention/pattern.h"

namespace dragoman {

/// A window around the query: |i - j| <= radius. With a dilation it is `dilation` times as wide for
/// the same number of keys: |i - j| <= radius dilation and (i - j) mod dilation = 0. At most
/// len (2 radius + 1) pairs, computed in blocks with 2 radius + max(radius, 16) keys per query.
class LocalPattern : public Pattern {
 public:
  explicit LocalPattern(std::int64_t radius, std::int64_t dilation = 1);

  KeySubsets subsets(std::int64_t len, bool causal) const override;

  /// The blocks that cover the window.
  BlockShape shape(std::int64_t len, bool causal) const;

 private:
  std::int64_t radius_, dilation_;
};

/// Blocks of a row of `row_len` positions whose queries attend to `radius` keys on each side.
BlockShape window_shape(std::int64_t radius, std::int64_t row_len, bool causal);

}  // namespace dragoman
