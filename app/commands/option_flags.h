#pragma once

#include "dragoman/config/overrides.h"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace dragoman::app {

/// Adds an option that sets `key` of the configuration: its value is added to `flags`, which must
/// outlive `command`. The help says which key, and so where its default stands.
template <typename Value>
CLI::Option* add_flag_of(CLI::App& command, std::vector<OptionFlag>& flags, const std::string& flag,
                         const std::string& key, const std::string& help) {
  return command.add_option_function<Value>(
      flag, [&flags, flag, key](const Value& value) { flags.push_back({flag, key, value}); },
      help + " (default: the configuration's " + key + ')');
}

/// Adds --set, which changes any option of a configuration.
/// \param example such as "train.patience=5"
CLI::Option* add_set_option(CLI::App& command, std::vector<std::string>& settings,
                            const std::string& example);

/// Seconds of a time such as "3600", "90s", "90m", "2h" or "1h30m".
/// \throws OptionsError naming `flag`
double seconds_of(const std::string& flag, const std::string& text);

}  // namespace dragoman::app
