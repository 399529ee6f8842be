#pragma once

#include "dragoman/config/overrides.h"
#include "dragoman/config/run_options.h"

#include <CLI/CLI.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace dragoman::app {

/// The options of the command line for a training.
struct TrainArguments {
  std::string config, preset;
  std::filesystem::path run_dir;
  std::vector<std::string> overrides;  ///< --set
  std::vector<OptionFlag> flags;       ///< of options that have one of their own

  /// A configuration, a preset, or that of the existing run; with --set and the flags.
  /// \param command its name, for the message
  /// \throws OptionsError if there is none of them
  RunOptions run_options(const std::string& command) const;
};

// Each adds a group of options; `arguments` must outlive `sub`.

void add_configuration_options(CLI::App& sub, TrainArguments& arguments);
void add_text_options(CLI::App& sub, TrainArguments& arguments);
void add_limit_options(CLI::App& sub, TrainArguments& arguments);

}  // namespace dragoman::app
