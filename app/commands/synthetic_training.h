#pragma once

#include "commands/language_options.h"
#include "commands/train_arguments.h"
#include "dragoman/run/run_files.h"
#include "dragoman/translate/synthetic_text.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace dragoman::app {

/// What `distill` and `back-translate` have in common: a text is translated by trained models, and
/// then a model is trained on it.
struct SyntheticTraining : TrainArguments {
  std::string command;  ///< its name
  std::vector<std::filesystem::path> models;
  std::string checkpoint, device = "cpu";
  std::vector<std::string> search;       ///< --search
  std::int64_t workers = 0;              ///< that translate
  std::vector<std::string> monolingual;  ///< texts without a translation
  Languages languages;
  std::optional<std::string> target_tag;  ///< of the synthetic text, for the new model
  /// --interpolate: the utility by which translations are close to the given ones; empty = off.
  std::string interpolate;
  std::vector<RunFiles> runs;  ///< those of `models`, by `options`

  /// What the new model will be trained on, before it exists.
  SyntheticText text() const { return SyntheticText(synthetic_dir()); }

  /// Opens the translating models, so that nothing is read for one that is not there.
  /// \return the options of the training
  RunOptions options();

  /// Translates `texts` and trains; what would end the training at once is found before.
  /// \param original parallel text besides; its sources, if they are to be translated, come first
  void run_on(const RunOptions& options, const std::vector<std::string>& texts,
              const DataOptions& original);

 private:
  std::filesystem::path synthetic_dir() const { return run_dir / synthetic_folder; }
  void expect_regular_file(const std::string& text) const;
  RunOptions translating_options() const;
  nlohmann::json origin_of(const RunOptions& options) const;
  std::int64_t translate(const SyntheticRequest& request, const RunOptions& options);
};

/// Adds the options that both have.
void add_synthetic_training_options(CLI::App& sub, SyntheticTraining& arguments,
                                    const std::string& whose);

/// Adds a command with these options.
/// \param whose "Run folder of the teacher"
template <typename Command>
CLI::App* add_synthetic_training(CLI::App& app, const std::shared_ptr<Command>& command,
                                 const std::string& name, const std::string& description,
                                 const std::string& whose) {
  command->command = name;
  auto* sub = app.add_subcommand(name, description + ". The same command again resumes it");
  add_synthetic_training_options(*sub, *command, whose);
  sub->callback([command] { command->run(); });
  return sub;
}

}  // namespace dragoman::app
