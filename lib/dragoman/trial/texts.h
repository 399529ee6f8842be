#pragma once

#include "dragoman/experiment/definition.h"
#include "dragoman/task/task_options.h"
#include "dragoman/text/example.h"

#include <filesystem>
#include <string>
#include <vector>

namespace dragoman {

/// The files of text that experiments are made on, plain or .gz.
struct TrialTexts {
  std::vector<std::string> train_source, train_target;
  std::string valid_source, valid_target;  ///< held out: loss by update, calibration
  std::string test_source, test_target;    ///< held out: BLEU
  TaskKind task = TaskKind::none;          ///< whose text it is, if the program has made it

  /// The names without folders, for people; without texts, that all is made up.
  std::string description() const;
  /// Whether all six are named.
  bool complete() const;
};

/// \throws OptionsError if `experiment` is about a text of the user's and `texts` lacks one of the six
void expect_text(const Experiment& experiment, const TrialTexts& texts);

/// The made-up text of a task below `dir`, where all trainings that are about it find it; written now
/// if it is not there. \throws as `write_task_text`
TrialTexts task_texts(const TaskOptions& task, const std::filesystem::path& dir);

/// The pairs with text on both sides.
std::vector<LinePair> read_filled_pairs(const std::string& source, const std::string& target);

/// The first `count` pairs of the training text.
std::vector<LinePair> first_training_pairs(const TrialTexts& texts, std::int64_t count);

}  // namespace dragoman
