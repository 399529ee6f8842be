#pragma once

#include "dragoman/core/error.h"

#include <CLI/CLI.hpp>

namespace dragoman::app {

/// Says on stderr what the exception now being handled means to the user, and with which code the
/// program ends. The one place where exceptions become messages; to be called in a catch block.
/// \param app says which subcommand was given, and prints help and version.
int report_exception(const CLI::App& app);

}  // namespace dragoman::app
