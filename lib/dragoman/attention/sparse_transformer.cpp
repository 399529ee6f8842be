#include "dragoman/attention/sparse_transformer.h"

#include "dragoman/attention/local.h"
#include "dragoman/attention/strided.h"

#include <ATen/ATen.h>

namespace dragoman {

KeySubsets SparseStridedPattern::subsets(std::int64_t len, bool /*causal*/) const {
  const auto near = [stride = stride_](std::int64_t i, std::int64_t j) {
    return j <= i && i - j < stride;
  };
  const auto far = [stride = stride_](std::int64_t i, std::int64_t j) { return i - j >= stride; };
  return {std::make_shared<BlockedKeys>(window_shape(stride_ - 1, len, /*causal=*/true), near),
          std::make_shared<BlockedKeys>(remainder_shape(stride_, len), far)};
}

KeySubsets SparseFixedPattern::subsets(std::int64_t len, bool /*causal*/) const {
  const auto past = [](std::int64_t i, std::int64_t j) { return j <= i; };
  const auto earlier_block = [stride = stride_](std::int64_t i, std::int64_t j) {
    return j / stride < i / stride;
  };
  std::vector<std::int64_t> summaries;
  for (std::int64_t j = 0; j < len; ++j)
    if (is_summary(j)) summaries.push_back(j);
  return {
      std::make_shared<BlockedKeys>(BlockShape{.step = 1, .block = stride_}, past),
      std::make_shared<ColumnKeys>(at::tensor(summaries, at::kLong).unsqueeze(0), earlier_block)};
}

}  // namespace dragoman
