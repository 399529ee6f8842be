#include "dragoman/tensor/vector_math.h"

#include <ATen/ATen.h>

namespace dragoman {

void initialise_vector_math() {
  [[maybe_unused]] static const at::Tensor once = at::zeros({1}, at::kDouble).sin();
}

}  // namespace dragoman
