#pragma once

#include "dragoman/config/model_options.h"

#include <ATen/core/Tensor.h>

namespace dragoman {

/// The activation's value for each element.
/// \param x held by no one else: relu may work in place
at::Tensor activate(at::Tensor x, Activation activation);

}  // namespace dragoman
