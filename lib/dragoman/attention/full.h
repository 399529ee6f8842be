#pragma once

#include "dragoman/attention/attention.h"
#include "dragoman/config/attention_options.h"

namespace dragoman {

/// softmax(Q K^T * scale) V (section 3.2.1): every query sees every key that the mask allows.
/// Softmax is computed in float32 for the half-precision types. Parameters as for
/// `Attention::attend`, except that the mask must be dense (`AttentionMask::is_dense`). Computed by
/// `fused_attention` where that suits, else by `product_attention`, which shows the steps.
AttentionResult scaled_dot_product_attention(const at::Tensor& query, const KeyValue& memory,
                                             const AttentionMask& mask,
                                             const AttentionSettings& settings);

/// The same by LibTorch's batched products, for any type, size, device and form of the mask.
AttentionResult product_attention(const at::Tensor& query, const KeyValue& memory,
                                  const AttentionMask& mask, const AttentionSettings& settings);

/// The kinds that compute the softmax over all keys, exactly.
class ExactAttention : public Attention {
 public:
  /// \param limit_mb maximum MiB for the weights of a call that computes all of them, which number
  ///     batch * num_heads * query_len * key_len
  explicit ExactAttention(std::int64_t limit_mb = HeadAttention().limit_mb) : limit_mb_(limit_mb) {}

  at::Tensor attend_past(const at::Tensor& query, const KeyValueCache& past,
                         const AttentionSettings& settings) const override;

 protected:
  std::int64_t limit_mb_;
};

/// The attention of the paper. Where the weights are not requested, other devices than the CPU use
/// LibTorch's kernels, which never store them (`FusedTorchAttention`), except for a few queries.
class FullAttention : public ExactAttention {
 public:
  using ExactAttention::ExactAttention;

  /// \throws OptionsError, before anything is allocated, if the weights would exceed the limit,
  ///     except where LibTorch's kernels compute
  AttentionResult attend(const at::Tensor& query, const KeyValue& memory, const AttentionMask& mask,
                         const AttentionSettings& settings) const override;
};

}  // namespace dragoman
