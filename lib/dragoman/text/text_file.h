#pragma once

#include "dragoman/text/lines.h"

#include <cstdint>
#include <optional>
#include <string>

namespace dragoman {

/// The lines of a file, or of standard input where `name` is "-".
/// \throws DataError if it cannot be opened.
LineReader open_text(const std::string& name, LineUse use);

/// Whether the text that `open_text` opens is a regular file, plain or compressed, as opposed to a
/// pipe or a terminal, which somebody may answer line by line.
bool is_text_file(const std::string& name);

/// The number of its lines, if that is cheap to find out: of a plain regular file of at most 1 GiB.
std::optional<std::int64_t> count_lines(const std::string& name);

}  // namespace dragoman
