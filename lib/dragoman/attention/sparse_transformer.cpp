#include "dragoman/attention/sparse_transformer.h"

#include "dragoman/attention/local.h"
#include "dragoman/attention/strided.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace dragoman {

namespace {

PositionRule near_or_in_column(std::int64_t stride) {
  return position_rule([stride](const auto& query, const auto& key) {
    return (key <= query) & ((query - key < stride) | (remainder_of(query - key, stride) == 0));
  });
}

/// One of the last `summary` positions of its block.
template <typename Position>
auto is_summary(const Position& key, std::int64_t stride, std::int64_t summary) {
  return remainder_of(key, stride) >= stride - summary;
}

PositionRule own_block_or_summary(std::int64_t stride, std::int64_t summary) {
  return position_rule([stride, summary](const auto& query, const auto& key) {
    return (key <= query) &
           ((block_of(key, stride) == block_of(query, stride)) | is_summary(key, stride, summary));
  });
}

}  // namespace

SparseStridedPattern::SparseStridedPattern(std::int64_t stride)
    : Pattern(near_or_in_column(stride)), stride_(stride) {}

SparseFixedPattern::SparseFixedPattern(std::int64_t stride, std::int64_t summary)
    : Pattern(own_block_or_summary(stride, summary)), stride_(stride), summary_(summary) {}

KeySubsets SparseStridedPattern::subsets(std::int64_t len, bool /*causal*/) const {
  const auto near = position_rule([stride = stride_](const auto& query, const auto& key) {
    return (key <= query) & (query - key < stride);
  });
  const auto far = position_rule(
      [stride = stride_](const auto& query, const auto& key) { return query - key >= stride; });
  return {std::make_shared<BlockedKeys>(window_shape(stride_ - 1, len, /*causal=*/true), near),
          std::make_shared<BlockedKeys>(remainder_shape(stride_, len), far)};
}

KeySubsets SparseFixedPattern::subsets(std::int64_t len, bool /*causal*/) const {
  const auto past = position_rule([](const auto& query, const auto& key) { return key <= query; });
  const auto earlier_block = position_rule([stride = stride_](const auto& query, const auto& key) {
    return block_of(key, stride) < block_of(query, stride);
  });
  std::vector<std::int64_t> summaries;
  for (std::int64_t j = 0; j < len; ++j)
    if (is_summary(j, stride_, summary_)) summaries.push_back(j);
  return {
      std::make_shared<BlockedKeys>(BlockShape{.step = 1, .block = std::min(stride_, len)}, past),
      std::make_shared<ColumnKeys>(at::tensor(summaries, at::kLong).unsqueeze(0), earlier_block)};
}

}  // namespace dragoman
