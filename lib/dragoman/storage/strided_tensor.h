#pragma once

#include "dragoman/storage/safetensors.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

/// A tensor in a file, perhaps a transposed or overlapping view of a storage that others share:
/// element (i, j, ..) is number i * strides[0] + j * strides[1] + .. of `bytes`. Little-endian.
struct StridedTensor {
  std::string name = {};
  DType dtype = DType::f32;
  std::vector<std::int64_t> shape = {};
  std::vector<std::int64_t> strides = {};  ///< elements, none negative
  std::string_view bytes = {};  ///< from the first element on; holds all that are addressed
};

/// A contiguous tensor as one of these.
inline StridedTensor strided(const TensorView& tensor) {
  StridedTensor result{tensor.name, tensor.dtype, tensor.shape,
                       std::vector<std::int64_t>(tensor.shape.size()), tensor.bytes};
  // Without elements, the sizes may be any numbers.
  if (tensor.bytes.empty()) return result;
  std::int64_t step = 1;
  for (auto i = tensor.shape.size(); i-- > 0;) {
    result.strides[i] = step;
    step *= tensor.shape[i];
  }
  return result;
}

}  // namespace dragoman
