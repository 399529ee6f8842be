#pragma once

#include "commands/next_commands.h"
#include "dragoman/config/overrides.h"
#include "dragoman/config/run_options.h"
#include "dragoman/train/train.h"

#include <CLI/CLI.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace dragoman::app {

/// The options of the command line for a training.
struct TrainArguments {
  std::string config, preset;
  std::filesystem::path run_dir;
  std::filesystem::path tokenizer, target_tokenizer, data_cache, start_from, init_from;
  std::optional<std::string> dump_config;
  std::vector<std::string> overrides;  ///< --set
  std::vector<OptionFlag> flags;       ///< of options that have one of their own
  bool check = false;                  ///< --check: errors in the texts are reported, not thrown
  /// Whether the corpora of a run to start from, or as many others, have its weights and tags.
  bool takes_over_corpora = true;

  /// A configuration, a preset, or that of the run to start from or the existing one; with --set
  /// and the flags. Warns of settings of a tokenizer to learn although one is given, and of models
  /// of another kind.
  /// \param command its name, for the message
  /// \throws OptionsError if there is none of them
  RunOptions run_options(const std::string& command) const;

  /// \throws DataError if a text is not where the run or the configuration names it, and what
  ///     `open_run` throws for the run to start from
  TrainRequest request(const RunOptions& options) const;

  /// Writes `options` where --dump-config says.
  /// \param texts that are read, besides those of `options`
  /// \throws OptionsError if that is one of the texts
  void write_configuration(const RunOptions& options,
                           const std::vector<std::string>& texts = {}) const;

  /// What a user may do after the training.
  NextCommands next_commands(const DataOptions& data) const;

 private:
  RunOptions chosen_options(const std::string& command, bool has_vocabulary) const;
  RunOptions options_of_start() const;
  RunOptions options_of_run(const std::string& command) const;
};

// Each adds a group of options; its other argument must outlive `sub`.

void add_configuration_options(CLI::App& sub, TrainArguments& arguments);
void add_start_options(CLI::App& sub, TrainArguments& arguments);
void add_text_options(CLI::App& sub, TrainArguments& arguments);
void add_limit_options(CLI::App& sub, std::vector<OptionFlag>& flags);

}  // namespace dragoman::app
