#pragma once

#include "dragoman/metrics/bleu.h"
#include "dragoman/metrics/chrf.h"
#include "dragoman/metrics/score_line.h"
#include "dragoman/metrics/significance.h"
#include "dragoman/metrics/ter.h"

#include <optional>
#include <string>
#include <vector>

namespace dragoman {

enum class PairedTest { bootstrap, randomization };

/// How to score a system's output.
struct ScoringOptions {
  std::vector<std::string> metrics = {"bleu", "chrf", "ter"};  ///< or "chrf++"; in this order
  BleuOptions bleu = {};
  ChrfOptions chrf = {};  ///< for "chrf"; "chrf++" adds word n-grams up to order 2
  TerOptions ter = {};
  bool short_signatures = false;  ///< "#:1|c:mixed" instead of "nrefs:1|case:mixed"
  bool confidence = false;        ///< estimate intervals; a paired bootstrap always does
  PairedTest paired = PairedTest::bootstrap;
  ResamplingOptions resampling = {};

  /// \throws OptionsError naming the first option out of range.
  void validate() const;
};

/// A baseline's score and the significance of the difference.
struct Comparison {
  double score = 0.0;  ///< of the baseline
  std::optional<ConfidenceInterval> interval = {};
  double p_value = 1.0;
  std::size_t lines = 0;  ///< of the text
};

struct MetricResult {
  std::string metric;  ///< name as in the options: "chrf++"
  ScoreReport report;
  std::vector<SignatureField> signature;  ///< the fields of `report.signature`, by their full names
  std::optional<Comparison> against = {};

  /// Whether there is a baseline, and the difference from it is not due to chance; false for fewer
  /// than `least_lines_of_test` lines.
  bool is_significant() const;
};

/// One metric's score of each line.
struct SentenceScores {
  std::string metric;     ///< name as in the options: "chrf++"
  std::string signature;  ///< "chrF2++|nrefs:1|..."
  std::vector<double> scores;
};

/// Scores `hypotheses` with each metric and, given a `baseline`, tests the difference.
/// \param references one or more streams, each as long as `hypotheses`
/// \param baseline another system's output, as long as `hypotheses`
/// \throws DataError if there is nothing to score or lengths differ; OptionsError
std::vector<MetricResult> score_corpus(
    const std::vector<std::string>& hypotheses, const std::vector<ReferenceStream>& references,
    const ScoringOptions& options, const std::optional<std::vector<std::string>>& baseline = {});

/// The score of each line by itself, as sacreBLEU's `sentence_score`; BLEU leaves out the orders
/// that a line is too short for, as `sacrebleu.sentence_bleu` does.
/// \return in the order of `options.metrics`
/// \throws DataError as `score_corpus`; OptionsError
std::vector<SentenceScores> score_sentences(const std::vector<std::string>& hypotheses,
                                            const std::vector<ReferenceStream>& references,
                                            const ScoringOptions& options);

/// Whether so many lines (half of them, or 100) end in a space and a full stop that the text must
/// be tokenized already: BLEU would tokenize it again.
bool looks_tokenized(const std::vector<std::string>& hypotheses);

}  // namespace dragoman
