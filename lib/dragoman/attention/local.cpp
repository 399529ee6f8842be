#include "dragoman/attention/local.h"

#include <algorithm>
#include <cstdlib>

namespace dragoman {

BlockShape window_shape(std::int64_t radius, std::int64_t row_len, bool causal) {
  constexpr std::int64_t smallest_block = 16;  // below, products are too small to be fast
  const auto margin = std::min(radius, row_len - 1);
  return {.step = 1,
          .block = std::min(std::max(radius, smallest_block), row_len),
          .left = margin,
          .right = causal ? 0 : margin};
}

bool LocalPattern::allows(std::int64_t query, std::int64_t key) const {
  const auto distance = std::abs(query - key);
  return distance <= radius_ * dilation_ && distance % dilation_ == 0;
}

/// The window, or every `dilation`-th of all positions.
double LocalPattern::keys_per_query(double len) const {
  return std::min(2.0 * static_cast<double>(radius_) + 1.0, len / static_cast<double>(dilation_));
}

KeySubsets LocalPattern::subsets(std::int64_t len, bool causal) const {
  auto shape = window_shape(radius_, (len + dilation_ - 1) / dilation_, causal);
  shape.step = dilation_;
  const auto rule = [pattern = *this](std::int64_t i, std::int64_t j) {
    return pattern.allows(i, j);
  };
  return {std::make_shared<BlockedKeys>(shape, rule)};
}

}  // namespace dragoman
