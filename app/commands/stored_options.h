#pragma once

#include "dragoman/config/overrides.h"
#include "dragoman/config/run_options.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman::app {

/// The options of the run in a folder, with changes: those of its config.json or, with a warning if
/// that is missing, of its newest checkpoint. \return none if there is no run
/// \throws OptionsError if they cannot be read
std::optional<RunOptions> stored_run_options(const std::filesystem::path& run_dir,
                                             const std::vector<std::string>& overrides,
                                             const std::vector<OptionFlag>& flags);

/// The options of a configuration file for a training, with changes.
/// \throws OptionsError as `read_run_options` does, or if the new run's own config.json would
///     replace the file
RunOptions configured_options(const std::string& config, const std::filesystem::path& run_dir,
                              const std::vector<std::string>& overrides,
                              const std::vector<OptionFlag>& flags);

/// The settings without those of keys that begin with one of `absent`; warns of these.
/// \param command such as "lm train"
std::vector<std::string> effective_settings(const std::vector<std::string>& overrides,
                                            const std::vector<std::string>& absent,
                                            const std::string& command);

/// Warns of the settings that have no effect: of keys that begin with `begin`.
/// \param why they have none: ", as the tokenizer is given"
void warn_of_settings(const std::vector<std::string>& overrides,
                      const std::vector<OptionFlag>& flags, std::string_view begin,
                      const std::string& why);

}  // namespace dragoman::app
