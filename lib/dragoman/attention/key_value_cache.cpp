#include "dragoman/attention/key_value_cache.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace dragoman {

namespace {

constexpr std::int64_t first_capacity = 16;

at::Tensor empty_like_rows(const at::Tensor& buffer, std::int64_t capacity, std::int64_t rows) {
  return at::empty({capacity, rows, buffer.size(2), buffer.size(3)}, buffer.options());
}

void append_to(at::Tensor& buffer, const at::Tensor& next, std::int64_t length) {
  const auto token = next.permute({2, 0, 1, 3});  // [1, rows, num_heads, width]
  if (!buffer.defined()) {
    buffer = empty_like_rows(token, first_capacity, token.size(1));
  } else if (length == buffer.size(0)) {
    const auto larger = empty_like_rows(buffer, 2 * length, buffer.size(1));
    larger.narrow(0, 0, length).copy_(buffer);
    buffer = larger;
  }
  buffer.narrow(0, length, 1).copy_(token);
}

void select_rows_of(at::Tensor& buffer, const at::Tensor& rows, std::int64_t length) {
  const auto selected = empty_like_rows(buffer, buffer.size(0), rows.size(0));
  auto used = selected.narrow(0, 0, length);
  at::index_select_out(used, buffer.narrow(0, 0, length), 1, rows);
  buffer = selected;
}

}  // namespace

void KeyValueCache::append(const KeyValue& next) {
  append_to(key_, next.key, length_);
  append_to(value_, next.value, length_);
  ++length_;
}

KeyValue KeyValueCache::used() const {
  const auto view = [this](const at::Tensor& buffer) {
    return buffer.narrow(0, 0, length_).permute({1, 2, 0, 3});
  };
  return {view(key_), view(value_)};
}

void KeyValueCache::select_rows(const at::Tensor& rows) {
  if (length_ == 0) return;
  select_rows_of(key_, rows, length_);
  select_rows_of(value_, rows, length_);
}

}  // namespace dragoman
