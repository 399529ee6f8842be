#pragma once

#include <string_view>

namespace dragoman::app {

/// To be called before a command allocates what its options ask for.
/// \param bytes that it needs at least
/// \param remedy as in "choose a smaller --length"
/// \throws OptionsError if that is more than this machine, or the control group around the program,
/// has
void expect_memory(std::string_view command, double bytes, std::string_view remedy);

}  // namespace dragoman::app
