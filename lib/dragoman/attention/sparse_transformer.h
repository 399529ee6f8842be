#pragma once

#include "dragoman/attention/pattern.h"

namespace dragoman {

/// The strided pattern of the Sparse Transformer (Child et al. 2019, section 4.3), with both of its
/// factors in one head: j <= i, and i - j < s or (i - j) mod s = 0. It sees only the past, even in
/// an encoder.
class SparseStridedPattern : public Pattern {
 public:
  explicit SparseStridedPattern(std::int64_t stride);

  KeySubsets subsets(std::int64_t len, bool causal) const override;

 private:
  std::int64_t stride_;
};

/// The fixed pattern of the Sparse Transformer (the same section): j <= i, and j is in the same
/// block of s positions as i, or is one of the last c positions of its own block.
class SparseFixedPattern : public Pattern {
 public:
  SparseFixedPattern(std::int64_t stride, std::int64_t summary);

  KeySubsets subsets(std::int64_t len, bool causal) const override;

 private:
  std::int64_t stride_, summary_;
};

}  // namespace dragoman
