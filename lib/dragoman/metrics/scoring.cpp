#include "dragoman/metrics/scoring.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"

#include <algorithm>
#include <memory>

namespace dragoman {

namespace {

std::unique_ptr<Metric> make_metric(const std::string& name, const ScoringOptions& options) {
  if (name == "bleu") return std::make_unique<Bleu>(options.bleu);
  if (name == "ter") return std::make_unique<Ter>(options.ter);
  if (name == "chrf") return std::make_unique<Chrf>(options.chrf);
  if (name == "chrf++") {
    auto with_words = options.chrf;
    with_words.word_order = 2;
    return std::make_unique<Chrf>(with_words);
  }
  throw OptionsError(
      concat("metrics: \"", name, "\" is not a metric; known: bleu, chrf, chrf++, ter"));
}

/// The resampling part of the signature.
ScoringFacts facts_of(const SegmentStatistics& statistics, const ScoringOptions& options,
                      bool compared) {
  ScoringFacts facts{.references = statistics.references()};
  const bool randomized = compared && options.paired == PairedTest::randomization;
  if (options.confidence || (compared && !randomized)) facts.bootstrap = options.resampling.samples;
  if (randomized) facts.randomization = options.resampling.trials;
  if (facts.bootstrap || facts.randomization) facts.seed = options.resampling.seed;
  return facts;
}

std::string text_of(const Signature& signature, const ScoringOptions& options) {
  return options.short_signatures ? signature.short_text() : signature.text();
}

PairedResult paired_test(const Metric& metric, const SegmentStatistics& baseline,
                         const SegmentStatistics& system, const ScoringOptions& options) {
  if (options.paired == PairedTest::bootstrap)
    return paired_bootstrap(metric, baseline, system, options.resampling);
  return paired_randomization(metric, baseline, system, options.resampling,
                              options.confidence ? WithIntervals::yes : WithIntervals::no);
}

void compare(const Metric& metric, const SegmentStatistics& baseline,
             const SegmentStatistics& system, const ScoringOptions& options, MetricResult& result) {
  const auto test = paired_test(metric, baseline, system, options);
  result.report.interval = test.system;
  result.against = Comparison{.score = metric.score(std::span<const double>(baseline.sum())),
                              .interval = test.baseline,
                              .p_value = test.p_value,
                              .lines = system.segments()};
}

}  // namespace

void ScoringOptions::validate() const {
  if (metrics.empty()) throw OptionsError("metrics: none given; known: bleu, chrf, chrf++, ter");
  for (const auto& name : metrics) make_metric(name, *this);
  resampling.validate();
}

std::vector<MetricResult> score_corpus(const std::vector<std::string>& hypotheses,
                                       const std::vector<ReferenceStream>& references,
                                       const ScoringOptions& options,
                                       const std::optional<std::vector<std::string>>& baseline) {
  options.validate();
  std::vector<MetricResult> results;
  for (const auto& name : options.metrics) {
    const auto metric = make_metric(name, options);
    const auto statistics = collect_statistics(*metric, hypotheses, references);
    const auto sums = statistics.sum();
    const Signature signature(facts_of(statistics, options, baseline.has_value()),
                              metric->signature_fields());
    MetricResult result{.metric = name,
                        .report = {.name = metric->name(),
                                   .signature = text_of(signature, options),
                                   .score = metric->score(std::span<const double>(sums)),
                                   .details = metric->details(sums)},
                        .signature = signature.fields()};
    if (baseline) {
      compare(*metric, collect_statistics(*metric, *baseline, references), statistics, options,
              result);
    } else if (options.confidence) {
      result.report.interval = bootstrap_interval(*metric, statistics, options.resampling);
    }
    results.push_back(std::move(result));
  }
  return results;
}

std::vector<SentenceScores> score_sentences(const std::vector<std::string>& hypotheses,
                                            const std::vector<ReferenceStream>& references,
                                            const ScoringOptions& options) {
  options.validate();
  auto of_sentences = options;
  of_sentences.bleu.effective_order = true;
  std::vector<SentenceScores> all;
  for (const auto& name : options.metrics) {
    const auto metric = make_metric(name, of_sentences);
    const auto statistics = collect_statistics(*metric, hypotheses, references);
    const Signature signature({.references = statistics.references()}, metric->signature_fields());
    SentenceScores of_metric{.metric = name,
                             .signature = concat(metric->name(), '|', text_of(signature, options)),
                             .scores = {}};
    for (std::size_t i = 0; i < statistics.segments(); ++i)
      of_metric.scores.push_back(metric->score(statistics.row(i)));
    all.push_back(std::move(of_metric));
  }
  return all;
}

bool looks_tokenized(const std::vector<std::string>& hypotheses) {
  constexpr std::size_t many = 100;
  const auto count = static_cast<std::size_t>(
      std::count_if(hypotheses.begin(), hypotheses.end(),
                    [](const std::string& line) { return line.ends_with(" ."); }));
  return count > 0 && count >= std::min(many, (hypotheses.size() + 1) / 2);
}

bool MetricResult::is_significant() const {
  // Equal systems have a p-value, too, which counts the samples.
  return against && report.score != against->score && against->p_value < significance_level &&
         against->lines >= least_lines_of_test;
}

}  // namespace dragoman
