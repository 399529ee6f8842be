#pragma once

#include "dragoman/translate/run.h"

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace dragoman {

/// A sentence with two translations that differ in one choice, one of which is right: agreement in
/// number over a distance, or what a pronoun stands for.
struct Contrast {
  std::string source;
  std::string right;
  std::string wrong;
  std::string word;                     ///< of the source, whose attention is asked for
  std::vector<std::string> candidates;  ///< words of the source that it may refer to
};

/// The worked sentences of the tutorials with English sources and German translations of ours.
std::vector<Contrast> worked_contrasts();

/// What one layer of the encoder gives from `word` to each candidate: the mean of its heads, the
/// sum over the candidate's pieces.
struct CandidateWeights {
  std::vector<double> mean;  ///< by candidate
  std::vector<double> most;  ///< by candidate, of the head that gives it most
};

/// What a model makes of a contrast.
struct ContrastResult {
  double right_log_prob = 0.0;  ///< nats
  double wrong_log_prob = 0.0;
  std::string translation;  ///< the model's own
  std::vector<CandidateWeights>
      layers;  ///< empty where the word or a candidate is not in the source, and without
               ///< self-attention in the encoder

  bool prefers_right() const { return right_log_prob > wrong_log_prob; }
};

std::vector<ContrastResult> test_contrasts(const LoadedRun& run,
                                           std::span<const Contrast> contrasts);

/// Contrasts from lines of tab-separated fields: source, right, wrong, and where attention is asked
/// for, word and candidates joined by blanks.
/// \throws FormatError naming the line.
std::vector<Contrast> read_contrasts(const std::filesystem::path& file);

}  // namespace dragoman
