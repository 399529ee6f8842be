#pragma once

namespace dragoman::app {

/// Makes a failing write to stdout an exception (std::ios_base::failure), and the end of its
/// reader the quiet end of this process with exit code 141, as a shell reports it.
void watch_standard_output();

/// Writes what is still buffered for stdout.
/// \throws DataError if that, or anything written before, did not reach it (a full disk).
void finish_standard_output();

}  // namespace dragoman::app
