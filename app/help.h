#pragma once

#include <CLI/CLI.hpp>

#include <cstddef>
#include <memory>
#include <string>

namespace dragoman::app {

/// Writes the help of a command for the width of the terminal (80 columns in a pipe): usage, what
/// must be given, its other options by section with their defaults and ranges, its exit codes.
/// Subcommands inherit the formatter that the application has when they are added.
std::shared_ptr<CLI::FormatterBase> help_formatter();

/// Columns for text on stdout: those of the terminal, 60 to 100; 80 in a pipe.
std::size_t help_width();

}  // namespace dragoman::app
