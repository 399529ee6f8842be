#pragma once

#include "dragoman/kernels/small_vector.h"

#include <cstdint>

namespace dragoman::small {

/// In place: scale, bias, softmax. Columns from `keys` on become 0. \param keys at least one
template <typename Vector>
DRAGOMAN_INLINE void softmax(float* row, std::int64_t keys, float scale, const float* bias) {
  const auto width = padded(keys);
  for (std::int64_t j = 0; j < keys; ++j)
    row[j] = row[j] * scale + (bias != nullptr ? bias[j] : 0.0F);
  for (std::int64_t j = keys; j < width; ++j) row[j] = -1e38F;
  Vector highest, x, total = {};
  load(highest, row);
  for (std::int64_t j = lanes; j < width; j += lanes) {
    load(x, row + j);
    raise(highest, x);
  }
  const float top = maximum(highest);
  for (std::int64_t j = 0; j < width; j += lanes) {
    load(x, row + j);
    x -= top;
    exponential(x);
    total += x;
    store(row + j, x);
  }
  const float factor = 1.0F / sum(total);
  for (std::int64_t j = 0; j < width; j += lanes) {
    load(x, row + j);
    store(row + j, x * factor);
  }
}

}  // namespace dragoman::small
