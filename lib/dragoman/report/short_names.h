#pragma once

#include <string>
#include <vector>

namespace dragoman {

/// Names for a figure that leave room for what it shows: of a long one both ends,
/// "a-run-with-a…long-name". All whole if short ones would be the same.
std::vector<std::string> short_names(const std::vector<std::string>& names);

}  // namespace dragoman
