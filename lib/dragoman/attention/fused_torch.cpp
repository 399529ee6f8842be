#include "dragoman/attention/fused_torch.h"

#include "dragoman/kernels/fused_attention.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <optional>
#include <tuple>

namespace dragoman {

namespace {

/// Whether LibTorch's memory-efficient kernel can compute this and is the fastest one for it:
/// others start at larger blocks.
bool suits_efficient_kernel(const at::Tensor& query, const KeyValue& memory) {
  constexpr std::int64_t few_keys = 128, alignment = 8, most_sentences = 65535;
  const auto type = query.scalar_type();
  return query.is_cuda() && memory.key.size(2) <= few_keys && query.size(0) <= most_sentences &&
         (type == at::kFloat || type == at::kBFloat16 || type == at::kHalf) &&
         memory.key.scalar_type() == type && memory.value.scalar_type() == type &&
         query.size(3) % alignment == 0 && memory.value.size(3) % alignment == 0;
}

/// How many neighbouring sentences are computed as one, whose positions see those of their own
/// sentence alone. The memory-efficient kernel computes blocks of 64 queries and 64 keys, whatever
/// their number is.
std::int64_t sentences_together(const at::Tensor& query, const KeyValue& memory,
                                const AttentionMask& mask) {
  const bool by_head = mask.bias.defined() && mask.bias.dim() >= 3 && mask.bias.size(-3) > 1;
  if (query.is_cpu() || by_head || (query.is_cuda() && !suits_efficient_kernel(query, memory)))
    return 1;
  const auto len = std::max<std::int64_t>({1, query.size(2), memory.key.size(2)});
  for (auto count = joined_positions / len; count > 1; --count)
    if (query.size(0) % count == 0) return count;
  return 1;
}

/// Positions of `count` sentences in a row. A view if each position's heads are stored side by
/// side, as the projections make them.
/// \param x [batch, num_heads, len, width]
/// \return [batch / count, num_heads, count * len, width]
at::Tensor join_sentences(const at::Tensor& x, std::int64_t count) {
  if (count == 1) return x;
  return x.transpose(1, 2)
      .reshape({x.size(0) / count, count * x.size(2), x.size(1), x.size(3)})
      .transpose(1, 2);
}

/// The inverse.
at::Tensor part_sentences(const at::Tensor& x, std::int64_t count) {
  if (count == 1) return x;
  return x.transpose(1, 2)
      .reshape({x.size(0) * count, x.size(2) / count, x.size(1), x.size(3)})
      .transpose(1, 2);
}

/// The score of a hidden pair. In float16, `hidden_score` would be -inf, and a row without a
/// visible key NaN.
double hidden_score_of(at::ScalarType type) { return type == at::kHalf ? -65504.0 : hidden_score; }

/// The bias of sentences in a row: theirs where a position sees its own sentence, else hidden.
/// \param bias [batch or 1, 1, query_len, key_len]
/// \return [batch / count or 1, 1, count * query_len, count * key_len]
at::Tensor join_biases(const at::Tensor& bias, std::int64_t count) {
  const auto query_len = bias.size(2), key_len = bias.size(3);
  const auto each = bias.size(0) == 1 ? bias.expand({count, 1, query_len, key_len}) : bias;
  const auto rows = each.size(0) / count;
  auto all = at::full({rows, count, query_len, count, key_len}, hidden_score_of(bias.scalar_type()),
                      bias.options());
  all.diagonal(0, 1, 3).copy_(
      each.reshape({rows, count, query_len, key_len}).permute({0, 2, 3, 1}));
  return all.view({rows, 1, count * query_len, count * key_len});
}

/// With rows that begin at aligned addresses, as the memory-efficient kernel requires: LibTorch
/// would otherwise copy the bias once for each head.
at::Tensor with_aligned_rows(const at::Tensor& bias) {
  constexpr std::int64_t alignment = 16;
  const auto length = bias.size(-1);
  const auto more = (alignment - length % alignment) % alignment;
  return at::constant_pad_nd(bias, {0, more}).narrow(-1, 0, length);
}

/// What the kernels add to the scores of joined sentences; undefined = nothing. Where the mask has
/// a place for it, made by the first layer that asks for it.
/// \param mask dense
at::Tensor bias_of(const AttentionMask& mask, const at::Tensor& query, const KeyValue& memory,
                   std::int64_t count) {
  if (!mask.bias.defined() && count == 1) return {};
  const auto query_len = query.size(2), key_len = memory.key.size(2);
  const auto type = query.scalar_type();
  at::Tensor not_kept;
  auto& kept = mask.joined_bias ? *mask.joined_bias : not_kept;
  if (kept.defined() && kept.scalar_type() == type && kept.size(-1) == count * key_len &&
      (count == 1 || kept.size(-2) == count * query_len))
    return kept;
  const auto finite = mask.bias.defined() && type == at::kHalf
                          ? mask.bias.clamp_min(hidden_score_of(type))
                          : mask.bias;
  auto bias = finite.defined() ? finite.to(type) : at::zeros({1}, query.options());
  if (count > 1) {
    while (bias.dim() < 4) bias = bias.unsqueeze(0);
    bias = join_biases(bias.expand({bias.size(0), 1, query_len, key_len}), count);
  }
  kept = query.is_cuda() ? with_aligned_rows(bias) : bias;
  return kept;
}

}  // namespace

AttentionResult FusedTorchAttention::attend(const at::Tensor& query, const KeyValue& memory,
                                            const AttentionMask& mask,
                                            const AttentionSettings& settings) const {
  const auto query_len = query.size(2), key_len = memory.key.size(2);
  const double dropout = settings.training ? settings.dropout : 0.0;
  // LibTorch's kernel for CPUs has no dropout: it would compute the product, too, and draw from a
  // generator that no checkpoint keeps.
  if (settings.need_weights == NeedWeights::yes || (query.is_cpu() && dropout > 0.0))
    return FullAttention(limit_mb_).attend(query, memory, mask, settings);
  const auto count = sentences_together(query, memory, mask);
  // Its own causal form never stores a value for each pair.
  const bool own_causal =
      count == 1 && mask.is_structured() && mask.is_causal && !mask.key_mask.defined();
  const auto dense = own_causal ? AttentionMask() : mask.dense(query_len, key_len, query);
  const auto queries = join_sentences(query, count), keys = join_sentences(memory.key, count),
             values = join_sentences(memory.value, count);
  std::optional<at::Tensor> bias;
  if (const auto added = bias_of(dense, query, memory, count); added.defined())
    bias = added.expand({queries.size(0), queries.size(1), queries.size(2), keys.size(2)});
  const auto joined = suits_efficient_kernel(queries, {keys, values})
                          ? std::get<0>(at::_scaled_dot_product_efficient_attention(
                                queries, keys, values, bias, at::GradMode::is_enabled(), dropout,
                                own_causal, settings.scale))
                          : at::scaled_dot_product_attention(queries, keys, values, bias, dropout,
                                                             own_causal, settings.scale);
  auto context = part_sentences(joined, count);
  if (dense.seeing.defined()) context = context * dense.seeing.to(context.scalar_type());
  return {context, {}};
}

}  // namespace dragoman
