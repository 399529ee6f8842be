#pragma once

#include "dragoman/core/error.h"

#include <CLI/CLI.hpp>

namespace dragoman::app {

/// Reports the exception being handled on stderr and returns the exit code of the program. The one
/// place where exceptions become messages; to be called in a catch block.
/// \param app says which subcommand was given, and prints help and version.
/// \param rethrow_as_error as `dragoman::rethrow_as_error`
int report_exception(const CLI::App& app, void (*rethrow_as_error)());

/// From now on, memory that runs out where nothing can catch that, as while LibTorch is loaded,
/// ends the process with a message and the exit code 1 instead of SIGABRT.
void report_uncaught_bad_alloc();

}  // namespace dragoman::app
