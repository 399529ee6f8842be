#pragma once

#include "dragoman/metrics/scoring.h"
#include "dragoman/translate/likelihood.h"

#include <optional>
#include <string>
#include <vector>

namespace dragoman::app {

/// How scores are shown.
struct ScoreOutput {
  int digits = 2;  ///< after the point, in text
  bool json = false;
  bool sentence_level = false;
};

/// What was measured.
struct Scores {
  std::vector<MetricResult> metrics;
  std::string baseline;                       ///< what was compared with; empty if nothing was
  std::optional<Likelihood> likelihood = {};  ///< of the references; none without a run
};

/// Writes one line per metric as sacreBLEU does, one of the likelihood, and one each for the
/// comparison; or one JSON object, metric to sacreBLEU's fields and "likelihood", with scores in
/// full precision.
void write_scores(const Scores& scores, const ScoreOutput& output);

/// Writes one line per sentence: the metrics' scores, separated by tabs, or one JSON object, metric
/// to score. \param metrics at least one, each with a score per sentence
void write_sentence_scores(const std::vector<SentenceScores>& metrics, const ScoreOutput& output);

}  // namespace dragoman::app
