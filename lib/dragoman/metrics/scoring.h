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

/// What to say of a system's output.
struct ScoringOptions {
  std::vector<std::string> metrics = {"bleu", "chrf", "ter"};  ///< or "chrf++"; in this order
  BleuOptions bleu = {};
  ChrfOptions chrf = {};  ///< of "chrf"; "chrf++" adds words up to pairs
  TerOptions ter = {};
  bool confidence = false;  ///< estimate intervals; a paired bootstrap always does
  PairedTest paired = PairedTest::bootstrap;
  ResamplingOptions resampling = {};

  /// \throws OptionsError naming the first option out of range.
  void validate() const;
};

/// A baseline's score and how likely chance alone makes the difference.
struct Comparison {
  double score = 0.0;  ///< of the baseline
  std::optional<ConfidenceInterval> interval = {};
  double p_value = 1.0;
};

struct MetricResult {
  std::string metric;  ///< as in the options: "chrf++"
  ScoreReport report;
  std::vector<SignatureField> signature;  ///< the parts of `report.signature`
  std::optional<Comparison> against = {};
};

/// Scores `hypotheses` by each metric and, where there is a `baseline`, tests the difference.
/// \param references one stream or more, each as long as `hypotheses`
/// \param baseline another system's output, as long as `hypotheses`
/// \throws DataError if there is nothing to score or lengths differ; OptionsError
std::vector<MetricResult> score_corpus(const std::vector<std::string>& hypotheses,
                                       const std::vector<ReferenceStream>& references,
                                       const ScoringOptions& options,
                                       const std::optional<std::vector<std::string>>& baseline = {});

/// Whether so many lines end in a space and a full stop, half of them or 100, that the text must
/// be tokens: BLEU would tokenize it once more.
bool looks_tokenized(const std::vector<std::string>& hypotheses);

}  // namespace dragoman
