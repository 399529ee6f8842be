#pragma once

#include <CLI/CLI.hpp>

namespace dragoman::app {

/// Has the values of all options of `app` and its commands checked before they are read, so that a
/// number is shown as it was typed, a range as people write one, and an empty value is refused
/// instead of being taken for the default. To be called when all options are there.
void check_arguments(CLI::App& app);

}  // namespace dragoman::app
