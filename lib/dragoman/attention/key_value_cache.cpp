#include "dragoman/attention/key_value_cache.h"

#include <ATen/ATen.h>

#include <numeric>

namespace dragoman {

void KeyValueCache::append(const KeyValue& next) {
  if (!next.key.is_cpu()) return store_.append(next);
  tokens_.push_back({next.key.select(2, 0).contiguous(), next.value.select(2, 0).contiguous()});
  const auto own = at::arange(next.key.size(0), next.key.options().dtype(at::kLong)).unsqueeze(0);
  origin_ = origin_.defined() ? at::cat({origin_, own}) : own;
}

KeyValue KeyValueCache::used() const {
  if (store_.length() > 0) return store_.used();
  std::vector<std::int64_t> all(tokens_.size());
  std::iota(all.begin(), all.end(), 0);
  return some(all);
}

KeyValue KeyValueCache::some(const std::vector<std::int64_t>& tokens) const {
  if (store_.length() > 0) return store_.some(tokens);
  std::vector<at::Tensor> keys, values;
  for (const auto t : tokens) {
    const auto rows = origin_.select(0, t);
    keys.push_back(token(t).key.index_select(0, rows));
    values.push_back(token(t).value.index_select(0, rows));
  }
  return {at::stack(keys, 2), at::stack(values, 2)};
}

void KeyValueCache::select_rows(const at::Tensor& rows) {
  store_.select_rows(rows);
  if (origin_.defined()) origin_ = origin_.index_select(1, rows);
}

}  // namespace dragoman
