#include "dragoman/attention/cached.h"

#include "dragoman/kernels/cached_attention.h"
#include "dragoman/kernels/small_products.h"

#include <ATen/ATen.h>

namespace dragoman {

bool suits_cached_attention(const at::Tensor& query, const KeyValueCache& past) {
  const auto suits = [](const at::Tensor& x) {
    return x.is_cpu() && x.scalar_type() == at::kFloat && x.size(-1) % small::lanes == 0 &&
           !(at::GradMode::is_enabled() && x.requires_grad());
  };
  return past.length() > 0 && suits(query) && suits(past.token(0).key) &&
         suits(past.token(0).value);
}

at::Tensor cached_attention(const at::Tensor& query, const KeyValueCache& past, double scale) {
  const auto rows = query.size(0), num_heads = query.size(1), d_v = past.token(0).value.size(2);
  const auto queries = query.select(2, 0).contiguous();
  const auto origin = past.origin().contiguous();
  CachedAttention input{.rows = rows,
                        .num_heads = num_heads,
                        .d_k = query.size(3),
                        .d_v = d_v,
                        .scale = static_cast<float>(scale),
                        .query = queries.const_data_ptr<float>(),
                        .keys = {},
                        .values = {},
                        .origin = origin.const_data_ptr<std::int64_t>()};
  for (std::int64_t t = 0; t < past.length(); ++t) {
    input.keys.push_back(past.token(t).key.const_data_ptr<float>());
    input.values.push_back(past.token(t).value.const_data_ptr<float>());
  }
  const auto context = at::empty({rows, 1, num_heads, d_v}, query.options());
  cached_attention(input, context.mutable_data_ptr<float>());
  return context.transpose(1, 2);
}

}  // namespace dragoman
