#pragma once

#include "dragoman/attention/attention.h"

namespace dragoman {

/// LibTorch's own fused attention (at::scaled_dot_product_attention), which chooses a kernel by
/// device, type and size: a second implementation of what `full` and `tiled` compute. If weights
/// are requested, all are computed.
class FusedTorchAttention : public Attention {
 public:
  AttentionResult attend(const at::Tensor& query, const KeyValue& memory, const AttentionMask& mask,
                         const AttentionSettings& settings) const override;
  at::Tensor attend_past(const at::Tensor& query, const KeyValueCache& past,
                         const AttentionSettings& settings) const override;
};

}  // namespace dragoman
