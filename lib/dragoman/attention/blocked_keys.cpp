#include "dragoman/attention/key_subset.h"

#include <ATen/ATen.h>

#include <utility>

namespace dragoman {

namespace {

std::int64_t rounded_up(std::int64_t n, std::int64_t unit) { return (n + unit - 1) / unit * unit; }

/// Pads with zeros before and after along the position axis, the last but one.
at::Tensor pad_positions(const at::Tensor& x, std::int64_t before, std::int64_t after) {
  return before == 0 && after == 0 ? x : at::constant_pad_nd(x, {0, 0, before, after});
}

}  // namespace

BlockedKeys::BlockedKeys(const BlockShape& shape, PositionRule rule)
    : shape_(shape), rule_(std::move(rule)) {}

/// Positions of one row, padded to whole blocks.
std::int64_t BlockedKeys::row_len(std::int64_t len) const {
  return rounded_up((len + shape_.step - 1) / shape_.step, shape_.block);
}

/// [batch, heads, len, width] to [batch, heads, step, row_len, width].
at::Tensor BlockedKeys::rows(const at::Tensor& x) const {
  const auto len = row_len(x.size(2));
  return pad_positions(x, 0, len * shape_.step - x.size(2))
      .view({x.size(0), x.size(1), len, shape_.step, x.size(3)})
      .transpose(2, 3);
}

/// [batch, heads, len, width] to [batch, heads, step, blocks, block, width].
at::Tensor BlockedKeys::blocks(const at::Tensor& x) const {
  const auto in_rows = rows(x);
  return in_rows.reshape({x.size(0), x.size(1), shape_.step, -1, shape_.block, x.size(3)});
}

/// [batch, heads, len, width] to [batch, heads, step, blocks, width, keys].
at::Tensor BlockedKeys::windows(const at::Tensor& x) const {
  return pad_positions(rows(x), shape_.left, shape_.right).unfold(3, width(), shape_.block);
}

/// The inverse of `blocks`.
at::Tensor BlockedKeys::sequence(const at::Tensor& blocks, std::int64_t len) const {
  return blocks.flatten(3, 4).transpose(2, 3).flatten(2, 3).narrow(2, 0, len);
}

at::Tensor BlockedKeys::scores(const at::Tensor& query, const at::Tensor& key) const {
  return sequence(at::matmul(blocks(query), windows(key)), query.size(2));
}

at::Tensor BlockedKeys::context(const at::Tensor& weights, const at::Tensor& value) const {
  return sequence(at::matmul(blocks(weights), windows(value).transpose(4, 5)), value.size(2));
}

/// \param cells [len, width] to be filled
void BlockedKeys::fill_rule(bool* cells, std::int64_t len, bool causal) const {
  for (std::int64_t query = 0; query < len; ++query) {
    const auto row = query % shape_.step, block = query / shape_.step / shape_.block;
    const auto first = block * shape_.block - shape_.left;
    for (std::int64_t i = 0; i < width(); ++i, ++cells) {
      const auto key = (first + i) * shape_.step + row;
      *cells = key >= 0 && key < len && (!causal || key <= query) && rule_(query, key);
    }
  }
}

/// The same where it is needed: [1, 1, len, width] bool.
at::Tensor BlockedKeys::rule_on(const at::Device& device, std::int64_t len, bool causal) const {
  if (device.is_cpu()) {
    auto cells = at::empty({1, 1, len, width()}, at::kBool);
    fill_rule(cells.mutable_data_ptr<bool>(), len, causal);
    return cells;
  }
  const auto options = at::TensorOptions(at::kLong).device(device);
  const auto query = at::arange(len, options).unsqueeze(1);
  const auto block = query.floor_divide(shape_.step * shape_.block);
  const auto in_row = block * shape_.block - shape_.left + at::arange(width(), options);
  const auto key = in_row * shape_.step + query.remainder(shape_.step);
  auto cells = (key >= 0) & (key < len) & rule_(query, key);
  if (causal) cells = cells & (key <= query);
  return cells.expand({1, 1, len, width()});
}

at::Tensor BlockedKeys::allowed(std::int64_t len, const AttentionMask& mask,
                                const at::Device& device) const {
  const auto cells = rule_on(device, len, mask.is_causal);
  if (!mask.key_mask.defined()) return cells;
  // [batch, 1, step, blocks, 1, keys], repeated for each query of a block
  const auto keys = windows(mask.key_mask.unsqueeze(1).unsqueeze(3));
  const auto repeated = keys.expand({-1, -1, -1, -1, shape_.block, -1});
  return cells.logical_and(sequence(repeated, len));
}

}  // namespace dragoman
