#include "dragoman/attention/strided.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace dragoman {

namespace {

PositionRule strided_rule(std::int64_t stride) {
  return position_rule([stride](const auto& query, const auto& key) {
    return (remainder_of(key, stride) == 0) | (key == query);
  });
}

PositionRule same_remainder(std::int64_t stride) {
  return position_rule([stride](const auto& query, const auto& key) {
    return remainder_of(query - key, stride) == 0;
  });
}

PositionRule every_pair() {
  return position_rule(
      [](const auto& query, const auto& key) { return distance_of(query, key) >= 0; });
}

}  // namespace

BlockShape remainder_shape(std::int64_t stride, std::int64_t len) {
  return {.step = stride, .block = (len + stride - 1) / stride};
}

StridedPattern::StridedPattern(std::int64_t stride)
    : Pattern(strided_rule(stride)), stride_(stride) {}

KeySubsets StridedPattern::subsets(std::int64_t len, bool /*causal*/) const {
  const auto columns = at::arange(0, len, stride_, at::kLong).unsqueeze(0);
  const auto itself = position_rule([stride = stride_](const auto& query, const auto& key) {
    return (query == key) & (remainder_of(key, stride) != 0);
  });
  const BlockShape diagonal{.step = 1, .block = std::min<std::int64_t>(len, 16)};
  return {std::make_shared<ColumnKeys>(columns, every_pair()),
          std::make_shared<BlockedKeys>(diagonal, itself)};
}

StridedRelativePattern::StridedRelativePattern(std::int64_t stride)
    : Pattern(same_remainder(stride)), stride_(stride) {}

KeySubsets StridedRelativePattern::subsets(std::int64_t len, bool /*causal*/) const {
  return {std::make_shared<BlockedKeys>(remainder_shape(stride_, len), every_pair())};
}

}  // namespace dragoman
