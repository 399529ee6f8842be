#include "dragoman/attention/key_value_cache.h"

#include <ATen/ATen.h>

namespace dragoman {

void KeyValueCache::append(const KeyValue& next) {
  tokens_.push_back({next.key.select(2, 0).contiguous(), next.value.select(2, 0).contiguous()});
  const auto own = at::arange(next.key.size(0), next.key.options().dtype(at::kLong)).unsqueeze(0);
  origin_ = origin_.defined() ? at::cat({origin_, own}) : own;
}

KeyValue KeyValueCache::used() const {
  std::vector<at::Tensor> keys, values;
  for (std::int64_t t = 0; t < length(); ++t) {
    const auto rows = origin_.select(0, t);
    keys.push_back(token(t).key.index_select(0, rows));
    values.push_back(token(t).value.index_select(0, rows));
  }
  return {at::stack(keys, 2), at::stack(values, 2)};
}

void KeyValueCache::select_rows(const at::Tensor& rows) {
  if (origin_.defined()) origin_ = origin_.index_select(1, rows);
}

}  // namespace dragoman
