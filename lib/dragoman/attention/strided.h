#pragma once

#include "dragoman/attention/pattern.h"

namespace dragoman {

/// Every s-th key and the query's own: j mod s = 0 or j = i. At most len (len / s + 1)
/// pairs; of the diagonal, blocks of 16 are computed.
class StridedPattern : public Pattern {
 public:
  explicit StridedPattern(std::int64_t stride);

  KeySubsets subsets(std::int64_t len, bool causal) const override;

 private:
  std::int64_t stride_;
};

/// Every s-th key counted from the query: (i - j) mod s = 0. len^2 / s pairs.
class StridedRelativePattern : public Pattern {
 public:
  explicit StridedRelativePattern(std::int64_t stride);

  KeySubsets subsets(std::int64_t len, bool causal) const override;

 private:
  std::int64_t stride_;
};

/// All positions with the same remainder as one block.
BlockShape remainder_shape(std::int64_t stride, std::int64_t len);

}  // namespace dragoman
