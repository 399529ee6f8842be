#include "dragoman/attention/strided.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace dragoman {

BlockShape remainder_shape(std::int64_t stride, std::int64_t len) {
  return {.step = stride, .block = (len + stride - 1) / stride};
}

KeySubsets StridedPattern::subsets(std::int64_t len, bool /*causal*/) const {
  const auto columns = at::arange(0, len, stride_, at::kLong).unsqueeze(0);
  const auto all = [](std::int64_t, std::int64_t) { return true; };
  const auto itself = [stride = stride_](std::int64_t i, std::int64_t j) {
    return i == j && j % stride != 0;
  };
  const BlockShape diagonal{.step = 1, .block = std::min<std::int64_t>(len, 16)};
  return {std::make_shared<ColumnKeys>(columns, all),
          std::make_shared<BlockedKeys>(diagonal, itself)};
}

KeySubsets StridedRelativePattern::subsets(std::int64_t len, bool /*causal*/) const {
  const auto all = [](std::int64_t, std::int64_t) { return true; };
  return {std::make_shared<BlockedKeys>(remainder_shape(stride_, len), all)};
}

}  // namespace dragoman
