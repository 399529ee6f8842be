#pragma once

#include "dragoman/experiment/definition.h"
#include "dragoman/experiment/tasks/task_options.h"
#include "dragoman/text/example.h"

#include <filesystem>
#include <string>
#include <vector>

namespace dragoman {

/// The text files that experiments use, plain or .gz.
struct TrialTexts {
  std::vector<std::string> train_source, train_target;
  std::string valid_source, valid_target;  ///< held out: loss by update, calibration
  std::string test_source, test_target;    ///< held out: BLEU
  TaskKind task = TaskKind::none;          ///< the task of the text, if it is synthetic

  /// Human-readable file names without folders; without texts, a statement that all text is
  /// synthetic.
  std::string description() const;
  /// Whether all six are set.
  bool complete() const;
  /// Whether at least one is set.
  bool any() const;
};

/// \throws OptionsError if `experiment` is about a text of the user's and `texts` lacks one of the
///     six
void expect_text(const Experiment& experiment, const TrialTexts& texts);

/// The synthetic text of a task below `dir`, shared by all its training runs; written if it is
/// missing. \throws as `write_task_text`
TrialTexts task_texts(const TaskOptions& task, const std::filesystem::path& dir);

/// The pairs that have text on both sides.
std::vector<LinePair> read_filled_pairs(const std::string& source, const std::string& target);

/// The first `count` pairs of the training text.
std::vector<LinePair> first_training_pairs(const TrialTexts& texts, std::int64_t count);

}  // namespace dragoman
