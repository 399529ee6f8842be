#include "dragoman/attention/sparse_transformer.h"

#include "dragoman/attention/local.h"
#include "dragoman/attention/strided.h"

#include <ATen/ATen.h>

namespace dragoman {

// Only the past: half of the columns, and for the fixed pattern half of the block too.

double SparseStridedPattern::keys_per_query(double len) const {
  const auto stride = static_cast<double>(stride_);
  return stride + len / stride / 2.0;
}

double SparseFixedPattern::keys_per_query(double len) const {
  const auto stride = static_cast<double>(stride_);
  return stride / 2.0 + static_cast<double>(summary_) * len / stride / 2.0;
}

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
