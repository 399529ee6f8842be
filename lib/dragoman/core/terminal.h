#pragma once

#include <cstddef>

namespace dragoman {

/// Whether stderr is a terminal that follows the usual control sequences (TERM is not "dumb").
bool stderr_is_terminal();

/// Columns of the terminal that stderr goes to, as it is now: it may be resized at any time.
/// 80 if that is unknown.
std::size_t terminal_columns();

}  // namespace dragoman
