#include "dragoman/attention/attention_mask.h"

#include "dragoman/kernels/fused_attention.h"
#include "dragoman/tensor/mask.h"

#include <ATen/ATen.h>

namespace dragoman {

namespace {

at::ScalarType bias_type(at::ScalarType dtype) {
  return dtype == at::kDouble ? at::kDouble : at::kFloat;
}

at::Tensor make_bias(const at::Tensor& allow, at::ScalarType dtype) {
  return at::zeros(allow.sizes(), allow.options().dtype(dtype))
      .masked_fill_(allow.logical_not(), hidden_score);
}

}  // namespace

AttentionMask AttentionMask::from(const at::Tensor& allow, at::ScalarType dtype) {
  // The two tests save work in every layer. On a GPU they cost more than that work.
  const bool may_ask = allow.defined() && allow.is_cpu();
  if (!allow.defined() || (may_ask && allow.all().item<bool>())) return {};
  const auto type = bias_type(dtype);
  const auto seeing = allow.any(-1, /*keepdim=*/true);
  AttentionMask result;
  result.bias = make_bias(allow, type);
  if (!allow.is_cpu()) result.joined_bias = std::make_shared<at::Tensor>();
  if (!may_ask || !seeing.all().item<bool>()) result.seeing = seeing.to(type);
  return result;
}

AttentionMask AttentionMask::of_keys(const at::Tensor& mask, at::ScalarType dtype) {
  auto result = from(mask.defined() ? mask.unsqueeze(1).unsqueeze(1) : mask, dtype);
  if (result.bias.defined()) result.key_mask = mask;
  return result;
}

AttentionMask AttentionMask::causal(std::int64_t len, const at::TensorOptions& options) {
  if (len == 1) return {};
  auto result = structured({}, /*causal=*/true);
  result.bias = make_bias(causal_mask(len, options.device()),
                          bias_type(c10::typeMetaToScalarType(options.dtype())));
  if (!result.bias.is_cpu()) result.joined_bias = std::make_shared<at::Tensor>();
  return result;
}

AttentionMask AttentionMask::structured(const at::Tensor& key_mask, bool causal) {
  AttentionMask result;
  result.key_mask = key_mask;
  result.is_causal = causal;
  return result;
}

at::Tensor AttentionMask::allowed(std::int64_t query_len, std::int64_t key_len,
                                  const at::Device& device) const {
  if (bias.defined()) return bias > hidden_score / 2;
  if (is_dense()) return {};
  const auto all = at::ones({1, 1}, at::TensorOptions(at::kBool).device(device));
  const auto allow = is_causal ? all.expand({query_len, key_len}).tril() : all;
  return key_mask.defined() ? allow.logical_and(key_mask.unsqueeze(1).unsqueeze(1)) : allow;
}

AttentionMask AttentionMask::dense(std::int64_t query_len, std::int64_t key_len,
                                   const at::Tensor& like) const {
  if (is_dense()) return *this;
  auto result = from(allowed(query_len, key_len, like.device()), like.scalar_type());
  result.tokens = tokens;
  if (!result.bias.defined()) return result;
  result.key_mask = key_mask;
  result.is_causal = is_causal;
  return result;
}

void AttentionMask::select_sentences(const at::Tensor& sentences) {
  if (bias.defined()) bias = bias.index_select(0, sentences);
  if (seeing.defined()) seeing = seeing.index_select(0, sentences);
  if (key_mask.defined()) key_mask = key_mask.index_select(0, sentences);
  if (joined_bias) joined_bias = std::make_shared<at::Tensor>();
}

}  // namespace dragoman
