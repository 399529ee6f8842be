#pragma once

#include "dragoman/trial/measurements.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace dragoman {

/// The test text translated by the run's own search on one thread, a line for each pair, behind what
/// its task gives of the target; kept in RUN_DIR/test.translated.
std::vector<std::string> translate_test(const FinishedTrial& trial);

/// The targets of pairs.
std::vector<std::string> targets_of(std::span<const LinePair> pairs);

/// BLEU of the translations and loss of the references by length of the source.
/// \param limits rising last lengths of the buckets, source pieces without the end; the last bucket
///     holds what is longer
/// \return one more than there are limits; empty buckets have 0 sentences
std::vector<LengthBucket> measure_by_length(const FinishedTrial& trial,
                                            std::span<const std::int64_t> limits);

/// How many test lines of a task are translated exactly, by their length.
/// \throws ContractError without a task
std::vector<LengthAnswers> answers_by_length(const FinishedTrial& trial);

}  // namespace dragoman
