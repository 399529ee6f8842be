#include "commands/score_output.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/quantity.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <iostream>

namespace dragoman::app {

namespace {

using Json = nlohmann::ordered_json;

void add_interval(Json& object, const std::optional<ConfidenceInterval>& interval, int digits) {
  if (!interval) return;
  object["confidence_mean"] = interval->mean;
  object["confidence_var"] = interval->half_width;
  if (interval->mean > 0.0) object["confidence"] = interval_text(interval, digits);
}

Json to_json(const MetricResult& result, const std::string& baseline, int digits) {
  const auto& report = result.report;
  Json object = {{"name", report.name}, {"score", report.score}, {"signature", report.signature}};
  add_interval(object, report.interval, digits);
  if (!report.details.empty()) object["verbose_score"] = report.details;
  for (const auto& field : result.signature) object[field.key] = field.value;
  if (result.against) {
    object["p_value"] = result.against->p_value;
    Json other = {{"system", baseline}, {"score", result.against->score}};
    add_interval(other, result.against->interval, digits);
    object["baseline"] = std::move(other);
  }
  return object;
}

/// "     BLEU: 45.30 against 44.10, difference +1.20, p = 0.0120 *"
std::string comparison_line(const MetricResult& result, int digits) {
  const auto& report = result.report;
  const auto& other = *result.against;
  return report.name + ": " + score_text(report.score, report.interval, digits) + " against " +
         score_text(other.score, other.interval, digits) + ", difference " +
         signed_decimal(report.score - other.score, digits) + ", p = " + decimal(other.p_value, 4) +
         (result.is_significant() ? " *" : "");
}

/// Lines aligned at the first `mark` of each.
void write_aligned(const std::vector<std::string>& lines, const char* mark) {
  std::size_t widest = 0;
  for (const auto& line : lines) widest = std::max(widest, line.find(mark));
  for (const auto& line : lines)
    std::cout << std::string(widest - line.find(mark), ' ') << line << '\n';
}

/// "nll 2.1300 nats per piece, perplexity 8.41, token accuracy 58.2 %, of 12345 pieces"
std::string likelihood_line(const Likelihood& likelihood) {
  const auto accuracy = likelihood.accuracy();
  return "nll " + decimal(likelihood.nll(), 4) + " nats per piece, perplexity " +
         decimal(likelihood.perplexity(), 2) +
         (accuracy ? ", token accuracy " + decimal(100.0 * *accuracy, 1) + " %" : "") + ", of " +
         std::to_string(likelihood.pieces()) + " pieces of the references";
}

Json to_json(const Likelihood& likelihood) {
  Json object = {{"nll", likelihood.nll()}, {"perplexity", likelihood.perplexity()}};
  if (const auto accuracy = likelihood.accuracy()) object["accuracy"] = *accuracy;
  object["pieces"] = likelihood.pieces();
  return object;
}

void write_text(const Scores& scores, int digits) {
  const auto& [results, baseline, likelihood] = scores;
  std::vector<std::string> lines;
  for (const auto& result : results) lines.push_back(score_line(result.report, digits));
  write_aligned(lines, " = ");
  if (likelihood) std::cout << likelihood_line(*likelihood) << '\n';
  if (baseline.empty()) return;
  const auto lines_tested = results.front().against ? results.front().against->lines : 0;
  std::cout << "\nCompared with " << baseline << " ("
            << (lines_tested < least_lines_of_test
                    ? concat("too few lines to test: fewer than ", least_lines_of_test)
                    : concat("* = p below ", significance_level))
            << "):\n";
  lines.clear();
  for (const auto& result : results) lines.push_back(comparison_line(result, digits));
  write_aligned(lines, ": ");
}

}  // namespace

void write_scores(const Scores& scores, const ScoreOutput& output) {
  if (!output.json) return write_text(scores, output.digits);
  Json object = Json::object();
  for (const auto& result : scores.metrics)
    object[result.metric] = to_json(result, scores.baseline, output.digits);
  if (scores.likelihood) object["likelihood"] = to_json(*scores.likelihood);
  std::cout << object.dump(1, ' ', false, Json::error_handler_t::replace) << '\n';
}

void write_sentence_scores(const std::vector<SentenceScores>& metrics, const ScoreOutput& output) {
  for (std::size_t i = 0; i < metrics.front().scores.size(); ++i) {
    Json object = Json::object();
    std::string line;
    for (const auto& [metric, signature, scores] : metrics) {
      object[metric] = scores[i];
      line += (line.empty() ? "" : "\t") + decimal(scores[i], output.digits);
    }
    std::cout << (output.json ? object.dump() : line) << '\n';
  }
}

}  // namespace dragoman::app
