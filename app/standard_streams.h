#pragma once

#include <string>

namespace dragoman::app {

/// Occupies the numbers of standard input, output and error if they are closed, so that no file
/// that is opened later gets the log or the output. Using them fails as if they were closed, except
/// that the log is then lost.
void occupy_standard_streams();

/// Makes a failing write to stdout throw (std::ios_base::failure); if the reader of stdout, stderr
/// or a pipe closes it, the process removes its unfinished files and ends silently with exit code
/// 141, as a shell reports SIGPIPE. Exceeding the file size
/// limit (ulimit -f) becomes an error of the write, to any file, instead of a signal.
void watch_standard_output();

/// Whether a write to stdout has failed.
bool standard_output_failed();

/// The message for that: `error_number` is the `errno` of the write, or 0.
std::string standard_output_fault(int error_number);

/// Writes what is still buffered for stdout.
/// \throws DataError if that, or anything written before, did not reach it (a full disk).
void finish_standard_output();

}  // namespace dragoman::app
