#include "dragoman/attention/low_rank.h"

#include "dragoman/attention/full.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/tensor/initialisation.h"

#include <ATen/ATen.h>

namespace dragoman {

namespace {

at::Tensor random_mixtures(std::int64_t rank, std::int64_t max_length) {
  return mixture_matrix(rank, max_length).set_requires_grad(true);
}

/// The mixing coefficients of each key's value. \return [batch or 1, 1, rank, key_len]
at::Tensor shares_of_keys(const at::Tensor& mixtures, std::int64_t len,
                          const at::Tensor& key_mask) {
  const auto shares = mixtures.narrow(1, 0, len).unsqueeze(0).unsqueeze(0);
  return key_mask.defined() ? shares * key_mask.unsqueeze(1).unsqueeze(1).to(shares.scalar_type())
                            : shares;
}

/// mixtures x, without padding. \return [batch, num_heads, rank, width]
at::Tensor mixed(const at::Tensor& mixtures, const at::Tensor& x, const at::Tensor& key_mask) {
  const auto real =
      key_mask.defined() ? x * key_mask.unsqueeze(1).unsqueeze(3).to(x.scalar_type()) : x;
  return at::matmul(mixtures.narrow(1, 0, x.size(2)), real);
}

}  // namespace

LowRankAttention::LowRankAttention(std::int64_t rank, std::int64_t max_length)
    : key_mixtures_(random_mixtures(rank, max_length)),
      value_mixtures_(random_mixtures(rank, max_length)) {}

std::vector<AttentionWeight> LowRankAttention::weights() const {
  return {{"key_mixtures", key_mixtures_}, {"value_mixtures", value_mixtures_}};
}

AttentionResult LowRankAttention::attend(const at::Tensor& query, const KeyValue& memory,
                                         const AttentionMask& mask,
                                         const AttentionSettings& settings) const {
  const auto len = memory.key.size(2), max_length = key_mixtures_.size(1);
  if (len > max_length)
    throw DataError(concat("attention: a sentence of ", len,
                           " tokens, but low_rank was trained for ", max_length,
                           "; shorten it, or train with a larger max_length"));
  if (!mask.is_key_mask()) throw ContractError("attention: low_rank accepts only key masks");
  auto result = product_attention(query,
                                  {mixed(key_mixtures_, memory.key, mask.key_mask),
                                   mixed(value_mixtures_, memory.value, mask.key_mask)},
                                  {}, settings);
  if (settings.need_weights == NeedWeights::yes) {
    const auto shares = shares_of_keys(value_mixtures_, len, mask.key_mask);
    result.weights = at::matmul(result.weights, shares.to(result.weights.scalar_type()));
  }
  return result;
}

}  // namespace dragoman
