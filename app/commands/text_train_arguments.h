#pragma once

#include "dragoman/config/overrides.h"
#include "dragoman/train/text_training.h"

#include <CLI/CLI.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace dragoman::app {

/// A command that trains a model with one of the two stacks.
struct TextTrainCommand {
  std::string name;  ///< "classify train"
  /// What the keys begin with that its models have nothing of: "model.decoder_".
  std::vector<std::string> absent;
};

/// The arguments for training a classifier or a language model, except its texts.
struct TextTrainArguments {
  std::string config, preset;
  std::filesystem::path run_dir, tokenizer;
  std::vector<std::string> overrides;
  std::vector<OptionFlag> flags;  ///< options that have one of their own

  /// The request of `command` for the given texts; no text is looked at. Without a configuration
  /// and a preset, the run's own configuration is used. Warns of settings that its models do not
  /// have.
  /// \param texts what sets the configuration's text files
  /// \throws OptionsError if there is none of these, one is wrong or names no text, or a launcher
  ///     started several processes
  TextTrainRequest request(const TextTrainCommand& command,
                           const std::vector<OptionFlag>& texts) const;

  /// Arguments that resume the training. \param command "classify"
  std::vector<std::string> resume(const std::string& command) const;

 private:
  RunOptions options(const TextTrainCommand& command, const std::vector<std::string>& settings,
                     const std::vector<OptionFlag>& all) const;
};

/// Adds the options that `arguments`, which must outlive `command`, are read from.
void add_text_train_arguments(CLI::App& command, TextTrainArguments& arguments);

}  // namespace dragoman::app
