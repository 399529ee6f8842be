#include "dragoman/attention/fused_torch.h"

#include "dragoman/attention/full.h"

#include <ATen/ATen.h>

#include <optional>
#include <tuple>

namespace dragoman {

namespace {

/// Whether LibTorch's memory-efficient kernel can compute this and is the fastest: others start at
/// larger blocks.
bool suits_efficient_kernel(const at::Tensor& query, const KeyValue& memory) {
  constexpr std::int64_t few_keys = 128, alignment = 8, most_sentences = 65535;
  const auto type = query.scalar_type();
  return query.is_cuda() && memory.key.size(2) <= few_keys && query.size(0) <= most_sentences &&
         (type == at::kFloat || type == at::kBFloat16 || type == at::kHalf) &&
         memory.key.scalar_type() == type && memory.value.scalar_type() == type &&
         query.size(3) % alignment == 0 && memory.value.size(3) % alignment == 0;
}

/// In memory whose rows begin at aligned places, as that kernel requires: LibTorch would otherwise
/// copy the bias once for each head.
at::Tensor with_aligned_rows(const at::Tensor& bias) {
  constexpr std::int64_t alignment = 16;
  const auto length = bias.size(-1);
  const auto more = (alignment - length % alignment) % alignment;
  return at::constant_pad_nd(bias, {0, more}).narrow(-1, 0, length);
}

}  // namespace

AttentionResult FusedTorchAttention::attend(const at::Tensor& query, const KeyValue& memory,
                                            const AttentionMask& mask,
                                            const AttentionSettings& settings) const {
  const auto query_len = query.size(2), key_len = memory.key.size(2);
  if (settings.need_weights == NeedWeights::yes)
    return product_attention(query, memory, mask.dense(query_len, key_len, query), settings);
  // Its own causal form never stores a value for each pair.
  const bool own_causal = mask.is_structured() && mask.is_causal && !mask.key_mask.defined();
  const auto dense = own_causal ? AttentionMask() : mask.dense(query_len, key_len, query);
  const double dropout = settings.training ? settings.dropout : 0.0;
  const bool efficient = suits_efficient_kernel(query, memory);
  std::optional<at::Tensor> bias;
  if (dense.bias.defined()) {
    const auto typed = dense.bias.to(query.scalar_type());
    bias = (query.is_cuda() ? with_aligned_rows(typed) : typed)
               .expand({query.size(0), query.size(1), query_len, key_len});
  }
  auto context = efficient ? std::get<0>(at::_scaled_dot_product_efficient_attention(
                                 query, memory.key, memory.value, bias, at::GradMode::is_enabled(),
                                 dropout, own_causal, settings.scale))
                           : at::scaled_dot_product_attention(query, memory.key, memory.value, bias,
                                                              dropout, own_causal, settings.scale);
  if (dense.seeing.defined()) context = context * dense.seeing.to(context.scalar_type());
  return {context, {}};
}

at::Tensor FusedTorchAttention::attend_past(const at::Tensor& query, const KeyValueCache& past,
                                            const AttentionSettings& settings) const {
  return FullAttention().attend_past(query, past, settings);
}

}  // namespace dragoman
