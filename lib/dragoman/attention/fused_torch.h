#pragma once

#include "dragoman/attention/full.h"

#include <cstdint>

namespace dragoman {

/// Sentences of at most so many queries and keys are computed together with their neighbours on a
/// GPU, if a count of at most `joined_positions` / length divides the number of all.
inline constexpr std::int64_t joined_positions = 64, longest_joined = joined_positions / 2;

/// LibTorch's own fused attention (at::scaled_dot_product_attention), which chooses a kernel by
/// device, type and size: a second implementation of what `full` and `tiled` compute. All weights
/// are computed if they are requested, and with dropout on a CPU, by `FullAttention`.
class FusedTorchAttention : public ExactAttention {
 public:
  using ExactAttention::ExactAttention;

  AttentionResult attend(const at::Tensor& query, const KeyValue& memory, const AttentionMask& mask,
                         const AttentionSettings& settings) const override;
};

}  // namespace dragoman
