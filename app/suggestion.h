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

/// The message for the first word of a command line that the parser did not recognise: that it is
/// no command or option, and which one was probably meant, by its spelling or its name in other
/// programs. Empty if every word was recognised.
std::string unknown_word(const CLI::App& app);

}  // namespace dragoman::app
