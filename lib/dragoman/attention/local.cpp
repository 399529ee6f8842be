#include "dragoman/attention/local.h"

#include <algorithm>

namespace dragoman {

BlockShape window_shape(std::int64_t radius, std::int64_t row_len, bool causal) {
  constexpr std::int64_t smallest_block = 16;  // below, products are too small to be fast
  const auto margin = std::min(radius, row_len - 1);
  return {.step = 1,
          .block = std::min(std::max(radius, smallest_block), row_len),
          .left = margin,
          .right = causal ? 0 : margin};
}

namespace {

PositionRule local_rule(std::int64_t radius, std::int64_t dilation) {
  if (dilation == 1)
    return position_rule(
        [radius](const auto& query, const auto& key) { return distance_of(query, key) <= radius; });
  // For one pair, the remainder is computed only inside of the window: it takes most of the time.
  const auto reach = radius * dilation;
  return {[reach, dilation](std::int64_t query, std::int64_t key) {
            const auto distance = distance_of(query, key);
            return distance <= reach && distance % dilation == 0;
          },
          [reach, dilation](const at::Tensor& query, const at::Tensor& key) {
            const auto distance = distance_of(query, key);
            return (distance <= reach) & (remainder_of(distance, dilation) == 0);
          }};
}

}  // namespace

LocalPattern::LocalPattern(std::int64_t radius, std::int64_t dilation)
    : Pattern(local_rule(radius, dilation)), radius_(radius), dilation_(dilation) {}

BlockShape LocalPattern::shape(std::int64_t len, bool causal) const {
  auto shape = window_shape(radius_, (len + dilation_ - 1) / dilation_, causal);
  shape.step = dilation_;
  return shape;
}

KeySubsets LocalPattern::subsets(std::int64_t len, bool causal) const {
  return {std::make_shared<BlockedKeys>(shape(len, causal), rule())};
}

}  // namespace dragoman
