#include "dragoman/attention/full.h"

#include "dragoman/attention/cached.h"
#include "dragoman/attention/fused.h"
#include "dragoman/attention/fused_torch.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/quantity.h"
#include "dragoman/tensor/dropout.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace dragoman {

namespace {

/// [batch, num_heads, len, width] -> [batch * num_heads, len, width]
at::Tensor merge_heads(const at::Tensor& x) {
  return x.reshape({x.size(0) * x.size(1), x.size(2), x.size(3)});
}

/// query key^T * scale; the scale is part of the product itself and costs nothing.
at::Tensor scaled_scores(const at::Tensor& query, const at::Tensor& key, double scale) {
  const auto ignored = at::empty({1, 1, 1}, query.options());
  return at::baddbmm(ignored, query, key.transpose(1, 2), /*beta=*/0.0, /*alpha=*/scale);
}

/// Softmax over the keys, in float32 at least. Low scores of hidden keys become weights of 0.
at::Tensor softmax(const at::Tensor& scores, const at::Tensor& bias) {
  const auto type =
      at::isReducedFloatingType(scores.scalar_type()) ? at::kFloat : scores.scalar_type();
  if (!bias.defined()) return at::softmax(scores, -1, type);
  // Without a graph no one else holds the scores.
  const bool in_place = !scores.requires_grad() && scores.scalar_type() == bias.scalar_type();
  return at::softmax(in_place ? scores.add_(bias) : scores + bias, -1, type);
}

/// MiB of the weights of one call, which are float32 at least.
double weights_mb(const at::Tensor& query, const KeyValue& memory) {
  const double count = static_cast<double>(query.size(0) * query.size(1)) *
                       static_cast<double>(query.size(2)) * static_cast<double>(memory.key.size(2));
  const auto bytes = std::max<std::size_t>(query.element_size(), sizeof(float));
  return count * static_cast<double>(bytes) / mebibyte;
}

/// LibTorch's kernels for GPUs, which never store the weights, compute blocks of at least 64
/// queries and keys: for the few queries of a decoding step, batched products are faster.
bool suits_fused_torch(const at::Tensor& query, const KeyValue& memory, bool training) {
  constexpr std::int64_t few_queries = 16, few_keys = 128;
  return training || query.size(2) > few_queries || memory.key.size(2) > few_keys;
}

[[noreturn]] void refuse_length(const at::Tensor& query, const KeyValue& memory, double mb,
                                std::int64_t limit_mb) {
  throw OptionsError(concat(
      "attention: ", query.size(0), " x ", query.size(1), " matrices of ", query.size(2), " x ",
      memory.key.size(2), " weights take ", static_cast<std::int64_t>(mb), " MiB, the limit is ",
      limit_mb,
      " MiB; choose kind tiled (the same function), shorter sentences, for model.encoder_attention "
      "and model.decoder_attention also local or linear, or raise limit_mb"));
}

}  // namespace

AttentionResult product_attention(const at::Tensor& query, const KeyValue& memory,
                                  const AttentionMask& mask, const AttentionSettings& settings) {
  const auto batch = query.size(0), num_heads = query.size(1), query_len = query.size(2);
  const auto key_len = memory.key.size(2), d_v = memory.value.size(3);
  const auto scores = scaled_scores(merge_heads(query), merge_heads(memory.key), settings.scale)
                          .view({batch, num_heads, query_len, key_len});
  const auto dense = mask.dense(query_len, key_len, query);
  const auto weights = softmax(scores, dense.bias);
  const auto used = dragoman::dropout(weights.to(memory.value.scalar_type()), settings.dropout,
                                      settings.training);
  auto context =
      at::bmm(used.view({batch * num_heads, query_len, key_len}), merge_heads(memory.value))
          .view({batch, num_heads, query_len, d_v});
  if (dense.seeing.defined()) context = context * dense.seeing.to(context.scalar_type());
  if (settings.need_weights == NeedWeights::no) return {context, {}};
  return {context, dense.seeing.defined() ? weights * dense.seeing : weights};
}

AttentionResult scaled_dot_product_attention(const at::Tensor& query, const KeyValue& memory,
                                             const AttentionMask& mask,
                                             const AttentionSettings& settings) {
  return suits_fused_attention(query, memory) ? fused_attention(query, memory, mask, settings)
                                              : product_attention(query, memory, mask, settings);
}

AttentionResult FullAttention::attend(const at::Tensor& query, const KeyValue& memory,
                                      const AttentionMask& mask,
                                      const AttentionSettings& settings) const {
  if (!query.is_cpu() && settings.need_weights == NeedWeights::no &&
      suits_fused_torch(query, memory, settings.training))
    return FusedTorchAttention().attend(query, memory, mask, settings);
  const double mb = weights_mb(query, memory);
  if (mb > static_cast<double>(limit_mb_)) refuse_length(query, memory, mb, limit_mb_);
  const auto dense = mask.dense(query.size(2), memory.key.size(2), query);
  return scaled_dot_product_attention(query, memory, dense, settings);
}

at::Tensor ExactAttention::attend_past(const at::Tensor& query, const KeyValueCache& past,
                                       const AttentionSettings& settings) const {
  return suits_cached_attention(query, past)
             ? cached_attention(query, past, settings.scale)
             : FullAttention(limit_mb_).attend(query, past.used(), {}, settings).context;
}

}  // namespace dragoman
