#pragma once

namespace dragoman {

/// Rethrows the exception that is being handled: an Error as it is; what the standard library and
/// LibTorch throw as an Error that says the same. To be called in a catch block.
/// \throws DataError if the system refuses memory, a thread or a file; InternalError otherwise
[[noreturn]] void rethrow_as_error();

}  // namespace dragoman
