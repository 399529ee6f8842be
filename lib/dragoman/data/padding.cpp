#include "dragoman/data/padding.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace dragoman {

PaddedIds pad_rows(std::span<const std::vector<std::int32_t>> rows, std::int64_t pad) {
  std::size_t longest = 0;
  for (const auto& row : rows) longest = std::max(longest, row.size());
  const auto shape = {std::ssize(rows), static_cast<std::int64_t>(longest)};
  PaddedIds padded{at::full(shape, pad, at::kLong), at::zeros(shape, at::kBool)};
  auto* ids = padded.ids.mutable_data_ptr<std::int64_t>();
  auto* mask = padded.mask.mutable_data_ptr<bool>();
  for (const auto& row : rows) {
    std::copy(row.begin(), row.end(), ids);
    std::fill_n(mask, row.size(), true);
    ids += longest;
    mask += longest;
  }
  return padded;
}

}  // namespace dragoman
