#include "dragoman/analysis/introductory_attention.h"

#include "dragoman/attention/full.h"

#include <ATen/ATen.h>

namespace dragoman {

at::Tensor sum_of_past(const at::Tensor& x) { return x.cumsum(-2) - x; }

at::Tensor dot_of_past(const at::Tensor& x) {
  const auto len = x.size(-2);
  const auto rows = x.reshape({-1, 1, len, x.size(-1)});  // [batch, one head, len, d_model]
  const auto before = at::ones({len, len}, x.options().dtype(at::kBool)).tril(-1);
  return product_attention(rows, {rows, rows}, AttentionMask::from(before, x.scalar_type()), {})
      .context.reshape(x.sizes());
}

}  // namespace dragoman
