#include "commands/stored_options.h"

#include "dragoman/config/parse.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/log.h"
#include "dragoman/run/checkpoint_store.h"
#include "dragoman/run/foreign_program.h"
#include "dragoman/run/model_file.h"
#include "dragoman/run/new_run.h"
#include "dragoman/run/run_files.h"

#include <algorithm>
#include <system_error>

namespace dragoman::app {

namespace {

bool is_there(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

/// \param own the configuration of a run that has checkpoints
/// \throws OptionsError if it cannot be read, whatever the command sets
void expect_own_configuration(const std::filesystem::path& own) {
  try {
    read_stored_options(own);
  } catch (const OptionsError& error) {
    throw OptionsError(concat(error.what(), ". Without this file, the run resumes with that of ",
                              "its checkpoint"));
  }
}

}  // namespace

std::optional<RunOptions> stored_run_options(const std::filesystem::path& run_dir,
                                             const std::vector<std::string>& overrides,
                                             const std::vector<OptionFlag>& flags) {
  if (run_dir.empty()) return std::nullopt;
  expect_no_foreign_model(run_dir);
  expect_outside_checkpoints(run_dir);
  const auto own = run_dir / config_file;
  const bool has_checkpoints_folder = is_there(run_dir / checkpoints_folder);
  if (is_there(own)) {
    if (has_checkpoints_folder) expect_own_configuration(own);
    return read_stored_options(own, overrides, flags);
  }
  if (!has_checkpoints_folder) return std::nullopt;
  const auto checkpoint = CheckpointStore(run_dir).newest_good(Damaged::skip);
  if (!checkpoint) return std::nullopt;
  const auto kept = checkpoint->path / config_file;
  log_warning(concat(own.string(), ": is missing; the run resumes with ", kept.string()));
  return read_stored_options(kept, overrides, flags);
}

RunOptions configured_options(const std::string& config, const std::filesystem::path& run_dir,
                              const std::vector<std::string>& overrides,
                              const std::vector<OptionFlag>& flags) {
  std::error_code ignored;
  if (!run_dir.empty() && !has_checkpoints(run_dir) &&
      std::filesystem::equivalent(config, run_dir / config_file, ignored))
    throw OptionsError(concat("-c ", config, ": is where the run will keep its own configuration, ",
                              "which would replace the file; move it out of the folder or, to ",
                              "continue a training run that ended early, leave out -c"));
  return read_run_options(config, overrides, flags);
}

std::vector<std::string> effective_settings(const std::vector<std::string>& overrides,
                                            const std::vector<std::string>& absent,
                                            const std::string& command) {
  const auto is_ineffective = [&absent](const std::string& key) {
    return std::ranges::any_of(absent,
                               [&key](const auto& begin) { return key.starts_with(begin); });
  };
  std::vector<std::string> effective;
  for (const auto& setting : overrides) {
    bool has_effect = false;
    for (const auto& [key, place] : read_overrides({setting}, {}).places)
      if (is_ineffective(key))
        log_warning(concat(place, ": has no effect on the models of '", command, "'"));
      else
        has_effect = true;
    if (has_effect) effective.push_back(setting);
  }
  return effective;
}

void warn_of_tokenizer_settings(const std::vector<std::string>& overrides,
                                const std::vector<OptionFlag>& flags) {
  for (const auto& [key, place] : read_overrides(overrides, flags).places)
    if (key.starts_with("tokenizer."))
      log_warning(concat(place, ": has no effect, as the tokenizer is given"));
}

}  // namespace dragoman::app
