#include "dragoman/attention/per_head.h"

#include "dragoman/tensor/device.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <utility>

namespace dragoman {

namespace {

at::Tensor select_heads(const at::Tensor& x, const HeadGroup& group) {
  return x.index_select(1, numbers_on(x.device(), group.heads));
}

KeyValue select_heads(const KeyValue& x, const HeadGroup& group) {
  return {select_heads(x.key, group), select_heads(x.value, group)};
}

}  // namespace

PerHeadAttention::PerHeadAttention(std::vector<HeadGroup> groups) : groups_(std::move(groups)) {
  std::int64_t place = 0;
  for (const auto& group : groups_)
    for (const auto head : group.heads) {
      order_.resize(std::max(order_.size(), static_cast<std::size_t>(head) + 1));
      order_[static_cast<std::size_t>(head)] = place++;
    }
}

/// Reorders [batch, heads of a group, ...] of each group to [batch, num_heads, ...].
at::Tensor PerHeadAttention::in_order(const std::vector<at::Tensor>& parts) const {
  return at::cat(parts, 1).index_select(1, numbers_on(parts.front().device(), order_));
}

AttentionResult PerHeadAttention::attend(const at::Tensor& query, const KeyValue& memory,
                                         const AttentionMask& mask,
                                         const AttentionSettings& settings) const {
  std::vector<at::Tensor> contexts, weights;
  for (const auto& group : groups_) {
    auto result = group.attention->attend(select_heads(query, group), select_heads(memory, group),
                                          mask, settings);
    contexts.push_back(std::move(result.context));
    weights.push_back(std::move(result.weights));
  }
  return {in_order(contexts), weights.front().defined() ? in_order(weights) : at::Tensor()};
}

at::Tensor PerHeadAttention::step(const at::Tensor& query, const KeyValue& next, Past& past,
                                  const AttentionSettings& settings) const {
  past.groups.resize(groups_.size());
  std::vector<at::Tensor> contexts;
  for (std::size_t i = 0; i < groups_.size(); ++i)
    contexts.push_back(groups_[i].attention->step(
        select_heads(query, groups_[i]), select_heads(next, groups_[i]), past.groups[i], settings));
  return in_order(contexts);
}

}  // namespace dragoman
