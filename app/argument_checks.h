#pragma once

#include <CLI/CLI.hpp>

namespace dragoman::app {

/// Checks the values of all options of `app` and its commands before they are read: messages show
/// numbers as typed and ranges in plain words, and an empty value is refused instead of being taken
/// for the default. To be called once all options have been added.
void check_arguments(CLI::App& app);

}  // namespace dragoman::app
