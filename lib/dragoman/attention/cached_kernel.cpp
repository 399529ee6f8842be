#include "dragoman/attention/cached_kernel.h"

#include "dragoman/attention/small_products.h"
#include "dragoman/attention/small_softmax.h"
#include "dragoman/core/simd.h"

namespace dragoman {

using small::Vector;
using small::lanes;

DRAGOMAN_FOR_EACH_CPU
void cached_attention(const CachedAttention& input, float* context) {
  const auto tokens = static_cast<std::int64_t>(input.keys.size());
  std::vector<float> weights(static_cast<std::size_t>(small::padded(tokens)));
  std::vector<const float*> keys(input.keys.size()), values(input.values.size());
  for (std::int64_t row = 0; row < input.rows; ++row) {
    for (std::int64_t t = 0; t < tokens; ++t) {
      const auto from = input.origin[t * input.rows + row];
      keys[static_cast<std::size_t>(t)] =
          input.keys[static_cast<std::size_t>(t)] + from * input.num_heads * input.d_k;
      values[static_cast<std::size_t>(t)] =
          input.values[static_cast<std::size_t>(t)] + from * input.num_heads * input.d_v;
    }
    for (std::int64_t h = 0; h < input.num_heads; ++h) {
      const float* query = input.query + (row * input.num_heads + h) * input.d_k;
      for (std::int64_t first = 0; first < tokens; first += lanes) {
        Vector products[lanes] = {};
        for (std::int64_t j = 0; j < lanes && first + j < tokens; ++j)
          small::add_products(products[j], query, keys[static_cast<std::size_t>(first + j)] + h * input.d_k,
                              input.d_k);
        small::store(weights.data() + first, small::sum_each(products));
      }
      small::softmax(weights.data(), tokens, input.scale, nullptr);
      float* out = context + (row * input.num_heads + h) * input.d_v;
      for (std::int64_t v = 0; v < input.d_v; v += lanes) {
        Vector sum = {}, value;
        for (std::int64_t t = 0; t < tokens; ++t) {
          small::load(value, values[static_cast<std::size_t>(t)] + h * input.d_v + v);
          sum += value * weights[static_cast<std::size_t>(t)];
        }
        small::store(out + v, sum);
      }
    }
  }
}

}  // namespace dragoman
