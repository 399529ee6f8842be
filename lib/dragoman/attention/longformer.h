#pragma once

#include "dragoman/attention/local.h"

namespace dragoman {

/// A local window combined with a dilated one: |i - j| <= radius, or |i - j| <= radius dilation and
/// (i - j) mod dilation = 0 (Beltagy et al. 2020, section 3.1; there each head has one of the two).
/// At most len (4 radius + 1) pairs, computed in blocks as by LocalPattern, and 2 len for each
/// global position.
class LongformerPattern : public Pattern {
 public:
  LongformerPattern(std::int64_t radius, std::int64_t dilation);

  KeySubsets subsets(std::int64_t len, bool causal) const override;

 private:
  LocalPattern near_, far_;
};

}  // namespace dragoman
