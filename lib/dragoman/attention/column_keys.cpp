#include "dragoman/attention/key_subset.h"

#include <ATen/ATen.h>

#include <utility>

namespace dragoman {

at::Tensor rows_at(const at::Tensor& x, const at::Tensor& positions) {
  const auto index = positions.clamp_min(0).to(x.device(), /*non_blocking=*/true);
  if (index.size(0) == 1) return x.index_select(2, index[0]);
  const auto count = index.size(1);
  return x.gather(2, index.view({-1, 1, count, 1}).expand({-1, x.size(1), count, x.size(3)}));
}

ColumnKeys::ColumnKeys(const at::Tensor& positions, PositionRule rule)
    : positions_(positions.contiguous()), rule_(std::move(rule)) {}

at::Tensor ColumnKeys::scores(const at::Tensor& query, const at::Tensor& key) const {
  return at::matmul(query, rows_at(key, positions_).transpose(2, 3));
}

at::Tensor ColumnKeys::context(const at::Tensor& weights, const at::Tensor& value) const {
  return at::matmul(weights, rows_at(value, positions_));
}

/// Which pairs the rule allows: [1 or batch, 1, len, count] bool.
at::Tensor ColumnKeys::rule_on(const at::Device& device, std::int64_t len, bool causal) const {
  const auto sentences = positions_.size(0), count = positions_.size(1);
  if (!device.is_cpu()) {
    const auto key = positions_.to(device, /*non_blocking=*/true).view({sentences, 1, 1, count});
    const auto query = at::arange(len, key.options()).view({1, 1, len, 1});
    const auto cells = (key >= 0) & rule_(query, key);
    return (causal ? cells & (key <= query) : cells).expand({sentences, 1, len, count});
  }
  auto cells = at::empty({sentences, 1, len, count}, at::kBool);
  auto* cell = cells.mutable_data_ptr<bool>();
  for (std::int64_t sentence = 0; sentence < sentences; ++sentence) {
    const auto* positions = positions_.const_data_ptr<std::int64_t>() + sentence * count;
    for (std::int64_t query = 0; query < len; ++query)
      for (std::int64_t i = 0; i < count; ++i, ++cell)
        *cell =
            positions[i] >= 0 && (!causal || positions[i] <= query) && rule_(query, positions[i]);
  }
  return cells;
}

at::Tensor ColumnKeys::allowed(std::int64_t len, const AttentionMask& mask,
                               const at::Device& device) const {
  const auto cells = rule_on(device, len, mask.is_causal);
  if (!mask.key_mask.defined()) return cells;
  const auto keys = rows_at(mask.key_mask.unsqueeze(1).unsqueeze(3), positions_);
  return cells.logical_and(keys.transpose(2, 3));
}

}  // namespace dragoman
