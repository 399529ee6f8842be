#include "dragoman/attention/key_value_store.h"

#include "dragoman/tensor/device.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <utility>

namespace dragoman {

namespace {

constexpr std::int64_t first_capacity = 64;  // tokens

}  // namespace

KeyValueStore::KeyValueStore(const KeyValueStore& other)
    : tokens_(other.tokens_.defined() ? other.tokens_.clone() : at::Tensor()),
      length_(other.length_),
      d_k_(other.d_k_) {}

KeyValueStore& KeyValueStore::operator=(const KeyValueStore& other) {
  return *this = KeyValueStore(other);
}

void KeyValueStore::make_room(const KeyValue& next) {
  if (length_ == 0) d_k_ = next.key.size(3);
  if (tokens_.defined() && length_ < tokens_.size(0)) return;
  auto larger = at::empty({std::max(first_capacity, 2 * length_), next.key.size(0),
                           next.key.size(1), d_k_ + next.value.size(3)},
                          next.key.options());
  if (length_ > 0) larger.narrow(0, 0, length_).copy_(tokens_);
  tokens_ = larger;
  spare_ = at::Tensor();
}

void KeyValueStore::append(const KeyValue& next) {
  make_room(next);
  const auto place = tokens_.select(0, length_);
  place.narrow(2, 0, d_k_).copy_(next.key.select(2, 0));
  place.narrow(2, d_k_, place.size(2) - d_k_).copy_(next.value.select(2, 0));
  ++length_;
}

/// \param tokens [tokens, rows, num_heads, d_k + d_v]
KeyValue KeyValueStore::parts_of(const at::Tensor& tokens) const {
  const auto by_row = tokens.permute({1, 2, 0, 3});
  return {by_row.narrow(3, 0, d_k_), by_row.narrow(3, d_k_, by_row.size(3) - d_k_)};
}

KeyValue KeyValueStore::used() const { return parts_of(tokens_.narrow(0, 0, length_)); }

KeyValue KeyValueStore::some(const std::vector<std::int64_t>& tokens) const {
  return parts_of(tokens_.index_select(0, numbers_on(tokens_.device(), tokens)));
}

void KeyValueStore::select_rows(const at::Tensor& rows) {
  if (length_ == 0) return;
  if (!spare_.defined() || spare_.size(1) != rows.size(0))
    spare_ = at::empty({tokens_.size(0), rows.size(0), tokens_.size(2), tokens_.size(3)},
                       tokens_.options());
  auto reordered = spare_.narrow(0, 0, length_);
  at::index_select_out(reordered, tokens_.narrow(0, 0, length_), 1, rows);
  std::swap(tokens_, spare_);
}

}  // namespace dragoman
