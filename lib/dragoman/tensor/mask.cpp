#include "dragoman/tensor/mask.h"

#include <ATen/ATen.h>

namespace dragoman {

at::Tensor causal_mask(std::int64_t len, const at::Device& device) {
  return at::ones({len, len}, at::TensorOptions(at::kBool).device(device)).tril();
}

}  // namespace dragoman
