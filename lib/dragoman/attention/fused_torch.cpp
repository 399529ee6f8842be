#include "dragoman/attention/fused_torch.h"

#include "dragoman/attention/full.h"

#include <ATen/ATen.h>

#include <optional>

namespace dragoman {

AttentionResult FusedTorchAttention::attend(const at::Tensor& query, const KeyValue& memory,
                                            const AttentionMask& mask,
                                            const AttentionSettings& settings) const {
  const auto query_len = query.size(2), key_len = memory.key.size(2);
  if (settings.weights == Weights::keep)
    return product_attention(query, memory, mask.dense(query_len, key_len, query), settings);
  // Its own causal form never stores a value for each pair.
  const bool own_causal = mask.is_structured() && mask.is_causal && !mask.keys.defined();
  const auto dense = own_causal ? AttentionMask() : mask.dense(query_len, key_len, query);
  const double dropout = settings.training ? settings.dropout : 0.0;
  std::optional<at::Tensor> bias;
  if (dense.bias.defined())
    bias = dense.bias.to(query.scalar_type())
               .expand({query.size(0), query.size(1), query_len, key_len});
  auto context = at::scaled_dot_product_attention(query, memory.key, memory.value, bias, dropout,
                                                  own_causal, settings.scale);
  if (dense.seeing.defined()) context = context * dense.seeing.to(context.scalar_type());
  return {context, {}};
}

at::Tensor FusedTorchAttention::attend_past(const at::Tensor& query, const KeyValueCache& past,
                                            const AttentionSettings& settings) const {
  return FullAttention().attend_past(query, past, settings);
}

}  // namespace dragoman
