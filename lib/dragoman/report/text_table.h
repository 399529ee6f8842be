#pragma once

#include <string>
#include <vector>

namespace dragoman {

/// Columns one below the other, two blanks apart: the first one left, the others right, as numbers
/// are read. Each line ends with LF.
/// \param rows the heading first; shorter rows leave their last cells empty
std::string text_table(const std::vector<std::vector<std::string>>& rows);

}  // namespace dragoman
