#include "dragoman/attention/attention_mask.h"

#include "dragoman/tensor/mask.h"

#include <ATen/ATen.h>

namespace dragoman {

namespace {

// Finite, so that a row without a visible key has no NaN, and lower than any score: the sum is
// rounded to this very number, and its exponential to 0.
constexpr double hidden = -1e30;

at::ScalarType bias_type(at::ScalarType dtype) {
  return dtype == at::kDouble ? at::kDouble : at::kFloat;
}

at::Tensor make_bias(const at::Tensor& allow, at::ScalarType dtype) {
  return at::zeros(allow.sizes(), allow.options().dtype(dtype))
      .masked_fill_(allow.logical_not(), hidden);
}

}  // namespace

AttentionMask AttentionMask::from(const at::Tensor& allow, at::ScalarType dtype) {
  // The two questions save work in every layer. On a GPU an answer costs more than that work.
  const bool may_ask = allow.defined() && allow.is_cpu();
  if (!allow.defined() || (may_ask && allow.all().item<bool>())) return {};
  const auto type = bias_type(dtype);
  const auto seeing = allow.any(-1, /*keepdim=*/true);
  AttentionMask result;
  result.bias = make_bias(allow, type);
  if (!may_ask || !seeing.all().item<bool>()) result.seeing = seeing.to(type);
  return result;
}

AttentionMask AttentionMask::of_keys(const at::Tensor& mask, at::ScalarType dtype) {
  return from(mask.defined() ? mask.unsqueeze(1).unsqueeze(1) : mask, dtype);
}

AttentionMask AttentionMask::causal(std::int64_t len, const at::TensorOptions& options) {
  if (len == 1) return {};
  AttentionMask result;
  result.bias = make_bias(causal_mask(len, options.device()),
                          bias_type(c10::typeMetaToScalarType(options.dtype())));
  return result;
}

void AttentionMask::select_sentences(const at::Tensor& sentences) {
  if (bias.defined()) bias = bias.index_select(0, sentences);
  if (seeing.defined()) seeing = seeing.index_select(0, sentences);
}

}  // namespace dragoman
