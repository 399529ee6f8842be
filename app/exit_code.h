#pragma once

#include "dragoman/core/error.h"

#include <CLI/CLI.hpp>

namespace dragoman::app {

/// Reports the exception being handled on stderr and returns the exit code of the program. The one
/// place where exceptions become messages; to be called in a catch block.
/// \param app says which subcommand was given, and prints help and version.
int report_exception(const CLI::App& app);

}  // namespace dragoman::app
