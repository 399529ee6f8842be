#pragma once

#include <string>

namespace dragoman {

/// An argument to paste into a command line of a POSIX shell: as it is if the shell takes it so,
/// else in single quotes.
std::string shell_quoted(const std::string& argument);

}  // namespace dragoman
