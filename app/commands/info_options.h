#pragma once

#include <string>

namespace dragoman::app {

/// Prints the options of the configuration whose key contains `filter` (all if it is empty), in
/// sections, or as JSON.
/// \throws OptionsError if there is none
void write_option_list(const std::string& filter, bool json);

}  // namespace dragoman::app
