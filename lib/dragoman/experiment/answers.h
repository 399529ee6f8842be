#pragma once

#include "dragoman/experiment/trial_record.h"

#include <cstdint>
#include <vector>

namespace dragoman {

/// A test line of a task.
struct Answer {
  std::int64_t length = 0;  ///< in the task's unit
  bool right = false;       ///< whether it is translated exactly
};

/// The share of the lines that are answered exactly: by length, and the measures `answers`,
/// `answers_shortest` and `answers_longest` with their replicates. \param answers at least one
TrialRecord record_of_answers(std::vector<Answer> answers);

}  // namespace dragoman
