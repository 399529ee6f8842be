#pragma once

#include "dragoman/analysis/word_relations.h"
#include "dragoman/experiment/trial_record.h"
#include "dragoman/experiment/trial_texts.h"
#include "dragoman/run/loaded_run.h"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace dragoman {

/// A finished training, and the text to measure it on.
struct FinishedTrial {
  /// Loads two checkpoints, the best by train.early_stopping_metric and the last, and reads the
  /// held-out text.
  /// \param train_pairs that were trained on; 0 = all
  FinishedTrial(const std::filesystem::path& run_dir, const TrialTexts& texts,
                std::int64_t train_pairs);

  std::filesystem::path run_dir;
  LoadedRun run;   ///< the best weights
  LoadedRun last;  ///< those of the last update
  TaskKind task;   ///< the task of the text, if it is synthetic
  /// The first thousand pairs of those that were trained on, with those that data.max_length leaves
  /// out.
  std::vector<LinePair> train_sample;
  std::vector<LinePair> valid, test;
};

/// Losses by update, BLEU and chrF, teacher forcing on the validation text, the cost of an update
/// and of translating; with the last weights the gap to the loss on training text. Writes the
/// translations to RUN_DIR/test.translated.
TrialRecord measure_default(const FinishedTrial& trial);

/// Gradient norms by layer for the first training pairs, with initial weights (the mean over four
/// initialisations) and with the last ones.
TrialRecord measure_gradients(const FinishedTrial& trial);

/// The share of saturated rows of attention weights on validation pairs, before and after
/// training (the last weights).
TrialRecord measure_saturation(const FinishedTrial& trial);

/// BLEU and loss on the test text by length of the source, and of pairs within and beyond
/// data.max_length.
/// \param limits ascending upper lengths of the buckets in source pieces; anything longer forms one
///     more bucket
TrialRecord measure_lengths(const FinishedTrial& trial, std::span<const std::int64_t> limits);

/// The share of a task's test lines that are answered exactly, overall and by length. The given
/// part of a target need not be predicted.
/// \throws ContractError without a task
TrialRecord measure_answers(const FinishedTrial& trial);

/// What the heads of each encoder layer attend to in the first held-out sources.
/// \param relations of their words, one list per sentence
/// \throws DataError if there are fewer sentences; as `relation_shares` does
TrialRecord measure_heads(const FinishedTrial& trial,
                          std::span<const std::vector<WordPair>> relations);

}  // namespace dragoman
