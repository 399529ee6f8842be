#pragma once

#include "dragoman/core/foreign_errors.h"

namespace dragoman {

/// `rethrow_as_error`, for what LibTorch throws as well.
[[noreturn]] void rethrow_torch_as_error();

}  // namespace dragoman
