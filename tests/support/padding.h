#pragma once

#include "dragoman/data/buckets.h"

#include <algorithm>
#include <cstdint>

namespace test {

/// Number of padding positions of a batch, both sides.
inline std::int64_t padding_positions(const dragoman::Examples& examples,
                                      const dragoman::BatchIndices& batch) {
  std::int64_t source = 0, target = 0, tokens = 0;
  for (const auto index : batch) {
    const auto length = examples.length(index);
    source = std::max<std::int64_t>(source, length.source);
    target = std::max<std::int64_t>(target, length.target);
    tokens += std::int64_t{length.source} + length.target;
  }
  return (source + target) * static_cast<std::int64_t>(batch.size()) - tokens;
}

}  // namespace test
