#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace dragoman::app {

/// The shells that completion is available for: bash, zsh, fish.
std::vector<std::string> completion_shells();

/// A completion script made from the application itself: its subcommands, their options, the values
/// an option chooses from, file names where one is expected, and for `--set` the keys and names of
/// the configuration. Each shell reads it by `source` (fish: `| source`), or finds it in its folder
/// of completions, as dragoman, _dragoman or dragoman.fish.
std::string completion_script(const CLI::App& app, const std::string& shell);

}  // namespace dragoman::app
