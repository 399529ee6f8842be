#include "dragoman/attention/linear.h"

#include "dragoman/tensor/autocast.h"

#include <ATen/ATen.h>

namespace dragoman {

namespace {

constexpr std::int64_t block_len = 64;  // of the causal form: all pairs in a block are computed

/// numerator / denominator, 0 where the denominator is 0: there the numerator is 0 too.
at::Tensor quotient(const at::Tensor& numerator, const at::Tensor& denominator) {
  return numerator / denominator.masked_fill(denominator == 0, 1.0);
}

/// phi of the keys, 0 for masked keys.
at::Tensor visible_features(const at::Tensor& key, const at::Tensor& key_mask) {
  const auto features = linear_features(key);
  return key_mask.defined()
             ? features * key_mask.unsqueeze(1).unsqueeze(3).to(features.scalar_type())
             : features;
}

/// phi(Q) S / phi(Q) z, sums over all keys.
at::Tensor attend_all(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value) {
  const auto s = at::matmul(key.transpose(2, 3), value);
  const auto z = key.sum(2).unsqueeze(3);
  return quotient(at::matmul(query, s), at::matmul(query, z));
}

/// [batch, num_heads, len, width] to [batch, num_heads, blocks, block_len, width], padded with
/// zeros at the end.
at::Tensor into_blocks(const at::Tensor& x) {
  const auto len = x.size(2), blocks = (len + block_len - 1) / block_len;
  const auto padded =
      len == blocks * block_len ? x : at::constant_pad_nd(x, {0, 0, 0, blocks * block_len - len});
  return padded.reshape({x.size(0), x.size(1), blocks, block_len, x.size(3)});
}

/// Sums over the blocks before each: [batch, num_heads, blocks, ...] of the same shape.
at::Tensor sums_before(const at::Tensor& x) {
  const auto zero = at::zeros_like(x.narrow(2, 0, 1));
  return at::cat({zero, at::cumsum(x.narrow(2, 0, x.size(2) - 1), 2)}, 2);
}

/// Sums over j <= i: earlier blocks by a running sum, the block itself by pairs.
at::Tensor attend_past_and_self(const at::Tensor& query, const at::Tensor& key,
                                const at::Tensor& value) {
  const auto q = into_blocks(query), k = into_blocks(key), v = into_blocks(value);
  const auto pairs = at::matmul(q, k.transpose(3, 4)).tril();
  const auto s = sums_before(at::matmul(k.transpose(3, 4), v));
  const auto z = sums_before(k.sum(3)).unsqueeze(4);
  const auto numerator = at::matmul(pairs, v) + at::matmul(q, s);
  const auto denominator = pairs.sum(4, /*keepdim=*/true) + at::matmul(q, z);
  return quotient(numerator, denominator).flatten(2, 3).narrow(2, 0, query.size(2));
}

/// The definition, over all pairs: weights_ij = phi(q_i).phi(k_j) / sum_l phi(q_i).phi(k_l) over
/// the keys that query i may see; a query that sees none yields zeros. Accepts any mask.
AttentionResult quadratic_linear_attention(const at::Tensor& query, const KeyValue& memory,
                                           const AttentionMask& mask) {
  auto pairs = at::matmul(linear_features(query), linear_features(memory.key).transpose(2, 3));
  const auto allow = mask.allowed(query.size(2), memory.key.size(2), query.device());
  if (allow.defined()) pairs = pairs.masked_fill(allow.logical_not(), 0.0);
  const auto weights = quotient(pairs, pairs.sum(-1, /*keepdim=*/true));
  return {at::matmul(weights, at_least_float(memory.value)), weights};
}

}  // namespace

at::Tensor linear_features(const at::Tensor& x) {
  // LibTorch's elu(x) + 1 loses the digits of exp(x) that are below those of 1.
  const auto y = at_least_float(x);
  return y.clamp_max(0.0).exp() + y.relu();
}

AttentionResult LinearAttention::attend(const at::Tensor& query, const KeyValue& memory,
                                        const AttentionMask& mask,
                                        const AttentionSettings& settings) const {
  const bool no_position = query.size(2) == 0 || memory.key.size(2) == 0;
  if (settings.need_weights == NeedWeights::yes || !mask.is_structured() || no_position)
    return quadratic_linear_attention(query, memory, mask);
  const auto features = linear_features(query);
  const auto key_features = visible_features(memory.key, mask.key_mask);
  const auto value = at_least_float(memory.value);
  return {mask.is_causal ? attend_past_and_self(features, key_features, value)
                         : attend_all(features, key_features, value),
          {}};
}

at::Tensor LinearAttention::step(const at::Tensor& query, const KeyValue& next, Past& past,
                                 const AttentionSettings&) const {
  past.sums.add(linear_features(next.key), at_least_float(next.value));
  const auto features = linear_features(query);
  return quotient(at::matmul(features, past.sums.s),
                  at::matmul(features, past.sums.z.unsqueeze(3)));
}

}  // namespace dragoman
