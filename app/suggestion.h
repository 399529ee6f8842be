#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <string_view>

namespace dragoman::app {

/// The commands that were given, outermost first: the last is the one whose options were read.
const CLI::App& deepest_command(const CLI::App& app);

/// "dragoman tokenize train"
std::string full_name(const CLI::App& command);

/// "no command traim; did you mean train?", with the command around it in front.
std::string no_such_command(const CLI::App& command, const std::string& name);

/// What to say of the first word of a parsed command line that nothing took: that it is no command
/// or option, and which one was probably meant, by its letters or because other programs call it so.
/// Empty if every word was taken.
std::string unknown_word(const CLI::App& app);

}  // namespace dragoman::app
