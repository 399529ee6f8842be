#pragma once

#include "dragoman/attention/attention.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace dragoman {

/// Heads with the same kind of attention.
struct HeadGroup {
  std::vector<std::int64_t> heads;  ///< their indices
  std::shared_ptr<const Attention> attention;
};

/// Heads of one layer with different kinds of attention: each group is computed separately.
class PerHeadAttention : public Attention {
 public:
  /// \param groups contain each head exactly once
  explicit PerHeadAttention(std::vector<HeadGroup> groups);

  AttentionResult attend(const at::Tensor& query, const KeyValue& memory, const AttentionMask& mask,
                         const AttentionSettings& settings) const override;
  at::Tensor step(const at::Tensor& query, const KeyValue& next, Past& past,
                  const AttentionSettings& settings) const override;

 private:
  at::Tensor in_order(const std::vector<at::Tensor>& parts) const;

  std::vector<HeadGroup> groups_;
  std::vector<std::int64_t> order_;  ///< each head's index in the order of the groups
};

}  // namespace dragoman
