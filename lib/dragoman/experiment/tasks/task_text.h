#pragma once

#include "dragoman/experiment/tasks/task_options.h"
#include "dragoman/text/example.h"

#include <filesystem>
#include <vector>

namespace dragoman {

/// The three parts of a synthetic text.
struct TaskText {
  std::vector<LinePair> train, valid, test;
};

/// Draws as many pairs as the options request. The pair itself determines which part it belongs to,
/// so that no pair is in two parts.
/// \throws OptionsError if `options.validate()` does, or if there are too few different lines
TaskText make_task_text(const TaskOptions& options);

/// Writes them to train.source, train.target, valid.source, valid.target, test.source, test.target
/// and, for tasks that give a part of the targets, test.given below `folder`.
/// \throws as `make_task_text`; DataError if a file cannot be written
void write_task_text(const TaskOptions& options, const std::filesystem::path& folder);

}  // namespace dragoman
