#pragma once

#include "dragoman/attention/attention.h"

namespace dragoman {

/// softmax(Q K^T * scale) V (section 3.2.1): every query may see every key that the mask allows.
/// Softmax is computed in float32 for the short types. Parameters as for `Attention::attend`.
AttentionResult scaled_dot_product_attention(const at::Tensor& query, const KeyValue& memory,
                                             const AttentionMask& mask,
                                             const AttentionSettings& settings);

/// The same by batched products of the library, for any type, size and device.
AttentionResult product_attention(const at::Tensor& query, const KeyValue& memory,
                                  const AttentionMask& mask, const AttentionSettings& settings);

/// The attention of the paper.
class FullAttention : public Attention {
 public:
  AttentionResult attend(const at::Tensor& query, const KeyValue& memory,
                         const AttentionMask& mask,
                         const AttentionSettings& settings) const override {
    return scaled_dot_product_attention(query, memory, mask, settings);
  }
  at::Tensor attend_past(const at::Tensor& query, const KeyValueCache& past,
                         const AttentionSettings& settings) const override;
};

}  // namespace dragoman
