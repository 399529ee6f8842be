#pragma once

namespace dragoman {

/// What may help where memory has run out; follows a message.
inline constexpr const char* memory_remedy =
    "; use a smaller model, train.batch_tokens or search.batch_tokens";

/// Rethrows the exception that is being handled: an Error as it is; what the standard library
/// throws as an Error that says the same. To be called in a catch block.
/// \throws DataError if the system refuses memory, a thread or a file; InternalError otherwise
[[noreturn]] void rethrow_as_error();

}  // namespace dragoman
