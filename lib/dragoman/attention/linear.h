#pragma once

#include "dragoman/attention/attention.h"

namespace dragoman {

/// phi(x) = elu(x) + 1, the feature map of linear attention: 1 + x above 0, exp(x) below. Positive
/// as far as exp is; at least float32.
at::Tensor linear_features(const at::Tensor& x);

/// Attention with a feature map in place of the softmax (Katharopoulos et al. 2020, "Transformers
/// are RNNs"): context_i = phi(q_i) S / phi(q_i).z with S = sum phi(k_j) v_j^T and z = sum
/// phi(k_j), in len d_k d_v multiply-adds. Under the causal mask the sums run over j <= i, block by
/// block. There is no scale and, as no weight is ever computed, no dropout on weights.
class LinearAttention : public Attention {
 public:
  AttentionResult attend(const at::Tensor& query, const KeyValue& memory, const AttentionMask& mask,
                         const AttentionSettings& settings) const override;
  at::Tensor step(const at::Tensor& query, const KeyValue& next, Past& past,
                  const AttentionSettings& settings) const override;
};

}  // namespace dragoman
