#pragma once

#include "dragoman/attention/attention_mask.h"
#include "dragoman/attention/position_rule.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace dragoman {

/// A subset of `width` keys for each query, selected by position without examining all keys. A
/// sparse attention computes its softmax over one or several subsets concatenated.
class KeySubset {
 public:
  virtual ~KeySubset() = default;

  /// \param query [batch, num_heads, len, d_k]
  /// \param key [batch, num_heads, len, d_k]
  /// \return products of each query with its keys, [batch, num_heads, len, width]
  virtual at::Tensor scores(const at::Tensor& query, const at::Tensor& key) const = 0;

  /// Which of these keys may be attended to: bool, broadcasts to [batch, 1, len, width].
  virtual at::Tensor allowed(std::int64_t len, const AttentionMask& mask,
                             const at::Device& device) const = 0;

  /// \param weights [batch, num_heads, len, width]
  /// \param value [batch, num_heads, len, d_v]
  /// \return the weighted sums, [batch, num_heads, len, d_v]
  virtual at::Tensor context(const at::Tensor& weights, const at::Tensor& value) const = 0;
};

using KeySubsets = std::vector<std::shared_ptr<const KeySubset>>;

/// Which keys `BlockedKeys` groups together.
struct BlockShape {
  std::int64_t step = 1;   ///< distance of neighbours: positions are distributed round-robin over
                           ///< `step` rows
  std::int64_t block = 1;  ///< queries per block, neighbours in a row
  std::int64_t left = 0;   ///< keys before the block, in its row
  std::int64_t right = 0;  ///< keys after it
};

/// Blocks of neighbouring queries, each with the keys of the block and of a margin: a product of
/// [block, d_k] and [d_k, left + block + right] for each block. With a step above 1, neighbours are
/// the positions with the same remainder.
class BlockedKeys : public KeySubset {
 public:
  /// \param rule which pairs within a block may attend
  BlockedKeys(const BlockShape& shape, PositionRule rule);

  at::Tensor scores(const at::Tensor& query, const at::Tensor& key) const override;
  at::Tensor allowed(std::int64_t len, const AttentionMask& mask,
                     const at::Device& device) const override;
  at::Tensor context(const at::Tensor& weights, const at::Tensor& value) const override;

 private:
  std::int64_t width() const { return shape_.left + shape_.block + shape_.right; }
  std::int64_t row_len(std::int64_t len) const;
  at::Tensor rows(const at::Tensor& x) const;
  at::Tensor blocks(const at::Tensor& x) const;
  at::Tensor windows(const at::Tensor& x) const;
  at::Tensor sequence(const at::Tensor& blocks, std::int64_t len) const;
  void fill_rule(bool* cells, std::int64_t len, bool causal) const;
  at::Tensor rule_on(const at::Device& device, std::int64_t len, bool causal) const;

  BlockShape shape_;
  PositionRule rule_;
};

/// The same keys for every query of a sentence.
class ColumnKeys : public KeySubset {
 public:
  /// \param positions [1 or batch, count] int64 on the CPU, each sentence's keys; -1 = none
  /// \param rule which queries attend to them
  ColumnKeys(const at::Tensor& positions, PositionRule rule);

  at::Tensor scores(const at::Tensor& query, const at::Tensor& key) const override;
  at::Tensor allowed(std::int64_t len, const AttentionMask& mask,
                     const at::Device& device) const override;
  at::Tensor context(const at::Tensor& weights, const at::Tensor& value) const override;

 private:
  at::Tensor rule_on(const at::Device& device, std::int64_t len, bool causal) const;

  at::Tensor positions_;
  PositionRule rule_;
};

/// Rows of x [batch, num_heads, len, width] at each sentence's positions.
/// \param positions [1 or batch, count] int64; -1 takes row 0
/// \return [batch, num_heads, count, width]
at::Tensor rows_at(const at::Tensor& x, const at::Tensor& positions);

}  // namespace dragoman
