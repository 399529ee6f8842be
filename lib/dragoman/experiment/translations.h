#pragma once

#include "dragoman/experiment/measurements.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace dragoman {

/// The test text translated with the run's own search options on one thread, one line per pair,
/// each after the part of the target that the task gives; stored in RUN_DIR/test.translated.
std::vector<std::string> translate_test(const FinishedTrial& trial);

/// The targets of pairs.
std::vector<std::string> targets_of(std::span<const LinePair> pairs);

/// BLEU of the translations and loss of the references by length of the source.
/// \param limits ascending upper lengths of the buckets in source pieces without EOS; the last
///     bucket holds anything longer
/// \return one more bucket than there are limits; empty buckets have 0 sentences
std::vector<LengthBucket> measure_by_length(const FinishedTrial& trial,
                                            std::span<const std::int64_t> limits);

/// A test line of a task.
struct Answer {
  std::int64_t length = 0;  ///< in the task's unit
  bool right = false;       ///< whether it is translated exactly
};

/// All test lines of a task, in their order. \throws ContractError without a task
std::vector<Answer> answers_of(const FinishedTrial& trial);

}  // namespace dragoman
