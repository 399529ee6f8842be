#include "dragoman/analysis/pruning_curve.h"

#include "dragoman/analysis/prune.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/process_usage.h"
#include "dragoman/core/quantity.h"
#include "dragoman/core/stopwatch.h"
#include "dragoman/decoding/module_model.h"
#include "dragoman/metrics/bleu.h"
#include "dragoman/metrics/chrf.h"
#include "dragoman/metrics/tokenizers.h"
#include "dragoman/report/svg_plot.h"
#include "dragoman/report/text_table.h"
#include "dragoman/tensor/device.h"
#include "dragoman/translate/line_translator.h"
#include "dragoman/translate/scorer.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>

namespace dragoman {

namespace {

double mean(const std::vector<double>& values) {
  return values.empty() ? 0.0
                        : std::accumulate(values.begin(), values.end(), 0.0) /
                              static_cast<double>(values.size());
}

/// Half the range of the values.
double half_spread(const std::vector<double>& values) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return values.empty() ? 0.0 : (*high - *low) / 2.0;
}

/// Text to translate, with its references.
class Test {
 public:
  /// \param own tokenizer of BLEU in the run's validations
  Test(const std::vector<LinePair>& pairs, BleuTokenizer own) : pairs_(pairs), references_(1) {
    for (const auto& pair : pairs) {
      sources_.push_back(pair.source);
      references_.front().push_back(pair.target);
    }
    tokenizer_ = suitable_tokenizer(references_.front(), own);
  }

  BleuTokenizer tokenizer() const { return tokenizer_; }

  void measure(const LoadedRun& run, const Transformer& model, PrunedQuality& quality) const {
    const InferenceModels models = {inference_model(model, run.options.search)};
    const auto start = std::chrono::steady_clock::now();
    const LineTranslator translator(models, run.vocabulary, run.options.search,
                                    {.max_source_length = run.options.data.max_length});
    std::vector<std::string> hypotheses;
    for (const auto& translation : translator.translate(sources_))
      hypotheses.push_back(translation.text());
    const auto seconds = seconds_since(start);
    quality.bleu.push_back(corpus_bleu(hypotheses, references_, {.tokenizer = tokenizer_}).score);
    quality.chrf.push_back(corpus_chrf(hypotheses, references_).score);
    quality.sentences_per_second.push_back(static_cast<double>(sources_.size()) / seconds);
    const auto clock = [&] {  // what a GPU computes is not processor time
      return models.front()->is_on_cpu() ? process_cpu_seconds() : seconds_since(start);
    };
    constexpr int passes = 3;  // the fastest one: what else the machine does only makes it slower
    double least = std::numeric_limits<double>::max();
    for (int pass = 0; pass < passes; ++pass) {
      const double before = clock();
      score_pairs(models, run.vocabulary, pairs_);
      least = std::min(least, clock() - before);
    }
    quality.scoring_ms.push_back(1e3 * least / static_cast<double>(pairs_.size()));
  }

 private:
  std::vector<LinePair> pairs_;
  std::vector<std::string> sources_;
  std::vector<std::vector<std::string>> references_;
  BleuTokenizer tokenizer_;
};

nlohmann::ordered_json points_json(const std::vector<PrunedQuality>& points) {
  auto list = nlohmann::ordered_json::array();
  for (const auto& point : points)
    list.push_back({{"fraction", point.fraction},
                    {"heads", point.heads},
                    {"parameters", point.parameters},
                    {"bleu", point.bleu},
                    {"chrf", point.chrf},
                    {"sentences_per_second", point.sentences_per_second},
                    {"scoring_ms", point.scoring_ms}});
  return list;
}

PlotSeries series_of(const std::string& name, const std::vector<PrunedQuality>& points) {
  PlotSeries series{.name = name, .x = {}, .y = {}, .error = {}};
  for (const auto& point : points) {
    series.x.push_back(100.0 * point.fraction);
    series.y.push_back(point.mean_bleu());
    series.error.push_back(half_spread(point.bleu));
  }
  if (std::ranges::all_of(series.error, [](double error) { return error == 0.0; }))
    series.error.clear();
  return series;
}

}  // namespace

double PrunedQuality::mean_bleu() const { return mean(bleu); }

double PruningCurve::free_share(double loss) const {
  double share = 0.0;
  for (const auto& point : by_importance)
    if (by_importance.front().mean_bleu() - point.mean_bleu() <= loss)
      share = std::max(share, point.fraction);
  return share;
}

std::string PruningCurve::text() const {
  std::vector<std::vector<std::string>> rows = {{"heads pruned", "parameters", "BLEU by importance",
                                                 "chrF2", "sentences/s", "ms to score one",
                                                 "BLEU at random", "+-"}};
  for (std::size_t i = 0; i < by_importance.size(); ++i) {
    const auto &point = by_importance[i], &random = at_random.at(i);
    rows.push_back(
        {concat(decimal(100.0 * point.fraction, 0), " % (", point.heads, " of ", heads, ")"),
         std::to_string(point.parameters), decimal(point.mean_bleu(), 2),
         decimal(mean(point.chrf), 2), decimal(mean(point.sentences_per_second), 0),
         decimal(mean(point.scoring_ms), 3), decimal(random.mean_bleu(), 2),
         decimal(half_spread(random.bleu), 2)});
  }
  return text_table(rows) +
         concat(counted(sentences, "sentence"), "; BLEU with tok:", bleu_tokenizer,
                "; at random: mean of ", counted(std::ssize(at_random.back().bleu), "order"),
                " and half of their spread\n", decimal(100.0 * free_share(0.5), 0),
                " % of the heads can be pruned for at most 0.5 BLEU, ",
                decimal(100.0 * free_share(1.0), 0), " % for at most 1\n");
}

nlohmann::ordered_json PruningCurve::json() const {
  return {{"heads", heads},
          {"sentences", sentences},
          {"bleu_tokenizer", bleu_tokenizer},
          {"by_importance", points_json(by_importance)},
          {"at_random", points_json(at_random)},
          {"free_share_0.5_bleu", free_share(0.5)},
          {"free_share_1_bleu", free_share(1.0)}};
}

std::string PruningCurve::svg() const {
  return svg_plot({.title = "Translation quality as heads are pruned",
                   .x_label = "heads pruned, %",
                   .y_label = "BLEU",
                   .log_x = false,
                   .log_y = false,
                   .series = {series_of("least important first", by_importance),
                              series_of("at random", at_random)}});
}

PruningCurve pruning_curve(const LoadedRun& run, std::span<const HeadPlace> order,
                           const std::vector<LinePair>& test, const PruningCurveOptions& options) {
  const Test text(test, tokenizer_named(run.options.train.bleu_tokenizer_name()));
  PruningCurve curve{.heads = order.size(),
                     .sentences = test.size(),
                     .bleu_tokenizer = tokenizer_name(text.tokenizer()),
                     .by_importance = {},
                     .at_random = {}};
  const auto point = [&](double fraction, std::span<const std::vector<HeadPlace>> orders) {
    const auto heads = count_of_share(fraction, order.size());
    PrunedQuality quality{
        .fraction = static_cast<double>(heads) / static_cast<double>(order.size()), .heads = heads};
    for (const auto& one : orders) {
      const auto pruned = prune_heads(*run.model, std::span(one).first(quality.heads));
      quality.parameters = parameters_in(*pruned);
      text.measure(run, pruned, quality);
    }
    return quality;
  };
  const std::vector<std::vector<HeadPlace>> important = {{order.begin(), order.end()}};
  std::vector<std::vector<HeadPlace>> random;
  for (const auto seed : options.seeds) random.push_back(in_random_order(important.front(), seed));
  for (const double fraction : options.fractions) {
    const auto heads = count_of_share(fraction, order.size());
    if (!curve.by_importance.empty() && curve.by_importance.back().heads == heads) continue;
    curve.by_importance.push_back(point(fraction, important));
    curve.at_random.push_back(fraction > 0.0 ? point(fraction, random)
                                             : curve.by_importance.back());
  }
  return curve;
}

}  // namespace dragoman
