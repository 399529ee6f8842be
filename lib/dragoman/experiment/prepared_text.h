#pragma once

#include "dragoman/config/run_options.h"
#include "dragoman/experiment/definition.h"
#include "dragoman/experiment/trial_texts.h"

#include <filesystem>
#include <optional>

namespace dragoman {

/// What training runs on one text share: its pieces and its ids.
struct PreparedText {
  std::filesystem::path folder;                    ///< for the training text as ids
  std::optional<std::filesystem::path> tokenizer;  ///< learned once; none if each side has its own
                                                   ///< tokenizer
};

/// Points `options` at the text, or at its first `experiment.train_pairs` pairs, written below
/// `dir`, and learns the requested pieces unless that has been done.
/// \throws what reading text and learning pieces throw
PreparedText prepare_text(const Experiment& experiment, const TrialTexts& texts,
                          const std::filesystem::path& dir, RunOptions& options);

/// \throws DataError if a variant has `pretrain`, and the text has no pairs for it
void expect_other_targets(const Experiment& experiment, const TrialTexts& texts);

/// Points `options` at the target side of the training text after the first
/// `experiment.train_pairs`, written below `pairs.folder`, as source and target, and at the
/// validation text's target side.
/// \param pairs of the training after it, with whose pieces the lines are read
/// \throws what reading text throws
PreparedText prepare_other_targets(const Experiment& experiment, const TrialTexts& texts,
                                   const PreparedText& pairs, RunOptions& options);

}  // namespace dragoman
