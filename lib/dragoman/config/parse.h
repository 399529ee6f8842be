#pragma once

#include "dragoman/config/overrides.h"
#include "dragoman/config/run_options.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

// Settings ("train.warmup_steps=4000") and flags apply last. A flag and a setting may not set the
// same option. The result is validated; what is wrong with it is reported with the setting or flag
// that brought it in: "--train-source: data.train_source: fact; remedy".

/// Reads a configuration file: strict JSON, `extends` (the name of a file beside it), unknown keys,
/// wrong types, misspelt names and repeated keys refused with file and JSON pointer.
/// Order: defaults, what it extends, the file, then `settings` and `flags`.
/// \throws OptionsError "FILE: /pointer: fact; remedy" or "FILE: model.num_heads: fact; remedy";
///     DataError if the file cannot be read
RunOptions read_run_options(const std::filesystem::path& file,
                            const std::vector<std::string>& settings = {},
                            const std::vector<OptionFlag>& flags = {});

/// Reads the config.json of a run or a checkpoint, which may come from anybody: it extends no other
/// file and is a regular file. \throws as `read_run_options`
RunOptions read_stored_options(const std::filesystem::path& file,
                               const std::vector<std::string>& settings = {},
                               const std::vector<OptionFlag>& flags = {});

/// As `read_run_options` without a file: the options of a preset (tiny, small, base, big).
/// \throws OptionsError for an unknown preset.
RunOptions preset_run_options(std::string_view preset,
                              const std::vector<std::string>& settings = {},
                              const std::vector<OptionFlag>& flags = {});

/// As `read_run_options` from text, which cannot extend a file; `place` names it in messages.
RunOptions parse_run_options(std::string_view text, const std::string& place,
                             const std::vector<std::string>& settings = {},
                             const std::vector<OptionFlag>& flags = {});

/// `options` with "a.b=value" set; the value is JSON, or a bare word for texts and names.
/// \param option that gave the settings, for messages
RunOptions with_overrides(const RunOptions& options, const std::vector<std::string>& settings,
                          const std::vector<OptionFlag>& flags = {},
                          const std::string& option = "--set");

/// All options as indented JSON text that `parse_run_options` reads back to the same values.
std::string to_text(const RunOptions& options);

/// Keys ("train.batch_tokens") in which two configurations differ and that may not change in a
/// running training: all but limits, validation, logging, search, names of devices and texts, and
/// what other options exclude in both, and kinds of attention that compute the same.
std::vector<std::string> changed_fixed_keys(const RunOptions& before, const RunOptions& now);

}  // namespace dragoman
