#pragma once

#include "dragoman/experiment/answers.h"
#include "dragoman/experiment/measurements.h"
#include "dragoman/experiment/scored_lines.h"

#include <span>
#include <string>
#include <vector>

namespace dragoman {

/// The test text translated with the run's own search options on one thread, one line per pair,
/// each after the part of the target that the task gives; stored in RUN_DIR/test.translated.
std::vector<std::string> translate_test(const FinishedTrial& trial);

/// The targets of pairs.
std::vector<std::string> targets_of(std::span<const LinePair> pairs);

/// The test lines with their translations and losses, in their order.
std::vector<ScoredLine> scored_lines(const FinishedTrial& trial);

/// All test lines of a task, in their order. \throws ContractError without a task
std::vector<Answer> answers_of(const FinishedTrial& trial);

}  // namespace dragoman
