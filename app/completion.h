#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace dragoman::app {

/// A completion script for bash made from the application itself: its subcommands, their options,
/// the values an option chooses from, names of files for other texts, and for `--set` the keys and
/// names of the configuration. To be read by `source`, or put into
/// ~/.local/share/bash-completion/completions/dragoman.
std::string bash_completion(const CLI::App& app);

}  // namespace dragoman::app
