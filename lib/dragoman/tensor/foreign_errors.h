#pragma once

#include "dragoman/core/foreign_errors.h"

#include <optional>
#include <string>

namespace dragoman {

/// `rethrow_as_error`, for what LibTorch throws as well.
[[noreturn]] void rethrow_torch_as_error();

/// What `rethrow_torch_as_error` says of the exception that is being handled, if memory has run
/// out; none for any other.
std::optional<std::string> memory_fault();

}  // namespace dragoman
