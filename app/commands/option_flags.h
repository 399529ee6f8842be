#pragma once

#include "dragoman/config/overrides.h"

#include <CLI/CLI.hpp>

#include <string>
#include <type_traits>
#include <vector>

namespace dragoman::app {

/// Adds an option that sets `key` of the configuration: its value is added to `flags`, which must
/// outlive `command`. For a number, the help names the key instead of a default.
template <typename Value>
CLI::Option* add_flag_of(CLI::App& command, std::vector<OptionFlag>& flags, const std::string& flag,
                         const std::string& key, const std::string& help) {
  const bool shows_key = std::is_arithmetic_v<Value>;
  return command.add_option_function<Value>(
      flag, [&flags, flag, key](const Value& value) { flags.push_back({flag, key, value}); },
      shows_key ? help + " (default: the configuration's " + key + ')' : help);
}

/// Adds --set, which changes any option of a configuration.
/// \param example such as "train.patience=5"
CLI::Option* add_set_option(CLI::App& command, std::vector<std::string>& settings,
                            const std::string& example);

/// Seconds of a time such as "3600", "90s", "90m", "2h" or "1h30m".
/// \throws OptionsError naming `flag`
double seconds_of(const std::string& flag, const std::string& text);

}  // namespace dragoman::app
