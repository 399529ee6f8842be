#pragma once

#include "dragoman/experiment/trial_record.h"
#include "dragoman/translate/run.h"
#include "dragoman/trial/texts.h"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace dragoman {

/// A training that has ended, and the text to measure it on.
struct FinishedTrial {
  /// Loads the last checkpoint and reads the held-out text.
  FinishedTrial(const std::filesystem::path& run_dir, const TrialTexts& texts);

  std::filesystem::path run_dir;
  LoadedRun run;
  TaskKind task;                        ///< whose text it is, if it is made up
  std::vector<LinePair> train_sample;  ///< the first thousand pairs of the training text
  std::vector<LinePair> valid, test;
};

/// Losses by update, BLEU and chrF, teacher forcing on the validation text, the cost of an update
/// and of translating. Writes the translations to RUN_DIR/test.translated.
TrialRecord measure_usual(const FinishedTrial& trial);

/// Gradient norms by layer for the first training pairs, with new weights and as trained.
TrialRecord measure_gradients(const FinishedTrial& trial);

/// The share of saturated rows of attention weights on validation pairs, before and after training.
TrialRecord measure_saturation(const FinishedTrial& trial);

/// BLEU and loss on the test text by length of the source, and within and beyond data.max_length.
/// \param limits rising last lengths of the buckets, source pieces; what is longer is one more
TrialRecord measure_lengths(const FinishedTrial& trial, std::span<const std::int64_t> limits);

/// The share of the test lines of a task that are answered exactly, of all and by length. What the
/// task gives of a target the model has not to find.
/// \throws ContractError without a task
TrialRecord measure_answers(const FinishedTrial& trial);

}  // namespace dragoman
