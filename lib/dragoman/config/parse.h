#pragma once

#include "dragoman/config/run_options.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

/// Reads a configuration file: strict JSON, `extends` (the name of a file beside it), unknown keys,
/// wrong types, misspelt names and repeated keys refused with file and JSON pointer.
/// Order: defaults, what it extends, the file, then `overrides` ("train.warmup_steps=4000"). The
/// result is validated, as is that of each function below which makes options.
/// \throws OptionsError "FILE: /pointer: fact; remedy" or "FILE: model.num_heads: fact; remedy";
///     DataError if the file cannot be read
RunOptions read_run_options(const std::filesystem::path& file,
                            const std::vector<std::string>& overrides = {});

/// Reads the config.json of a run or a checkpoint, which may come from anybody: it extends no other
/// file and is a regular file. \throws as `read_run_options`
RunOptions read_stored_options(const std::filesystem::path& file,
                               const std::vector<std::string>& overrides = {});

/// The same without a file: a preset's options (tiny, small, base, big) with overrides.
/// \throws OptionsError for an unknown preset.
RunOptions preset_run_options(std::string_view preset,
                              const std::vector<std::string>& overrides = {});

/// The same from text, which cannot extend a file; `place` names it in messages.
RunOptions parse_run_options(std::string_view text, const std::string& place,
                             const std::vector<std::string>& overrides = {});

/// `options` with "a.b=value" set; the value is JSON, or a bare word for texts and names.
RunOptions with_overrides(const RunOptions& options, const std::vector<std::string>& overrides);

/// All options as indented JSON text that `parse_run_options` reads back to the same values.
std::string to_text(const RunOptions& options);

/// Keys ("train.batch_tokens") in which two configurations differ and that may not change in a
/// running training: all but limits, validation, logging, search, and names of devices and texts.
std::vector<std::string> changed_fixed_keys(const RunOptions& before, const RunOptions& now);

}  // namespace dragoman
