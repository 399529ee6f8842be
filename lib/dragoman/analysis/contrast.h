#pragma once

#include "dragoman/run/loaded_run.h"

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace dragoman {

/// A sentence with a right and a wrong translation that differ in one choice: long-distance number
/// agreement, or the antecedent of a pronoun.
struct Contrast {
  std::string source;
  std::string right;
  std::string wrong;
  std::string word;                     ///< source word whose attention is examined
  std::vector<std::string> candidates;  ///< source words that it may refer to
};

/// The example sentences of the tutorials: English sources with our own German translations.
std::vector<Contrast> worked_contrasts();

/// Attention from `word` to each candidate in one encoder layer, summed over the candidate's
/// pieces; without numbers if all heads of the layer have been pruned.
struct CandidateWeights {
  std::vector<double> mean;  ///< per candidate, averaged over the heads that are left
  std::vector<double> most;  ///< per candidate, for the head with the largest weight
};

/// The results of a model on a contrast.
struct ContrastResult {
  double right_log_prob = 0.0;  ///< nats
  double wrong_log_prob = 0.0;
  std::string translation;  ///< the model's own translation
  std::vector<CandidateWeights>
      layers;  ///< empty if the word or a candidate is not in the source, or if the encoder has no
               ///< self-attention

  bool prefers_right() const { return right_log_prob > wrong_log_prob; }
};

std::vector<ContrastResult> test_contrasts(const LoadedRun& run,
                                           std::span<const Contrast> contrasts);

/// Reads contrasts from lines of tab-separated fields: source, right, wrong and, to examine
/// attention, word and space-separated candidates. \param file "-" = standard input
/// \throws FormatError naming the line, also for a word or candidate that its source lacks;
///     DataError if there is no line.
std::vector<Contrast> read_contrasts(const std::filesystem::path& file);

}  // namespace dragoman
