#pragma once

namespace dragoman {

/// What may help where memory has run out; follows a message.
inline constexpr const char* memory_remedy =
    "; lower search.batch_tokens, or in training train.batch_tokens (and raise train.accumulate as "
    "much), or use a smaller model";

/// Rethrows the exception that is being handled: an Error as it is; what the standard library
/// throws as an Error that says the same. To be called in a catch block.
/// \throws DataError if the system refuses memory, a thread or a file; InternalError for any other
///     std::exception. What is none, such as the cancellation of a thread, is thrown on.
[[noreturn]] void rethrow_as_error();

}  // namespace dragoman
