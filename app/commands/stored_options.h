#pragma once

#include "dragoman/config/overrides.h"
#include "dragoman/config/run_options.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace dragoman::app {

/// The options of the run in a folder, with changes: those of its config.json or, with a warning if
/// that is missing, of its newest checkpoint. \return none if there is no run
/// \throws OptionsError if they cannot be read, or the folder is a checkpoint; DataError if it has
///     another program's model
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

/// Warns of the settings of a tokenizer to learn, which have no effect where one is given.
void warn_of_tokenizer_settings(const std::vector<std::string>& overrides,
                                const std::vector<OptionFlag>& flags);

}  // namespace dragoman::app
