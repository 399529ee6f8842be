#pragma once

#include "dragoman/attention/attention.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace dragoman {

/// Heads that attend alike.
struct HeadGroup {
  std::vector<std::int64_t> heads;  ///< their numbers
  std::shared_ptr<const Attention> attention;
};

/// Heads of one layer that attend in different ways: each group by itself, side by side.
class PerHeadAttention : public Attention {
 public:
  /// \param groups hold each head once
  explicit PerHeadAttention(std::vector<HeadGroup> groups);

  AttentionResult attend(const at::Tensor& query, const KeyValue& memory, const AttentionMask& mask,
                         const AttentionSettings& settings) const override;
  at::Tensor step(const at::Tensor& query, const KeyValue& next, Past& past,
                  const AttentionSettings& settings) const override;

 private:
  at::Tensor in_order(const std::vector<at::Tensor>& parts) const;

  std::vector<HeadGroup> groups_;
  std::vector<std::int64_t> order_;  ///< where each head stands behind the groups' order
};

}  // namespace dragoman
