#pragma once

#include "dragoman/config/model_options.h"

#include <ATen/core/Tensor.h>

namespace dragoman {

/// The activation's value for each element, as defined by the names of `Activation`; relu, max(0,
/// x), is that of section 3.3.
/// \param x held by no one else: relu may work in place
at::Tensor activate(at::Tensor x, Activation activation);

}  // namespace dragoman
