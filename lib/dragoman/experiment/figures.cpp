#include "dragoman/experiment/figures.h"

#include "dragoman/experiment/measures.h"
#include "dragoman/report/svg_plot.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <utility>

namespace dragoman {

namespace {

/// One point per x, from the values of all trials of a variant.
struct Points {
  std::map<double, std::vector<double>> values;

  void add(double x, double y) {
    if (std::isfinite(y)) values[x].push_back(y);
  }

  PlotSeries series(const std::string& name) const {
    PlotSeries series{.name = name, .x = {}, .y = {}};
    for (const auto& [x, all] : values) {
      series.x.push_back(x);
      series.y.push_back(sample_of(all).mean);
    }
    return series;
  }
};

using AddTrial = std::function<void(const TrialRecord&, Points&)>;

/// One line per variant that has points.
std::vector<PlotSeries> series_by_variant(const ExperimentResult& result, const AddTrial& add) {
  std::vector<PlotSeries> all;
  for (const auto& variant : result.experiment.variants) {
    Points points;
    for (const auto* trial : result.of_variant(variant.name)) add(trial->record, points);
    if (!points.values.empty()) all.push_back(points.series(variant.name));
  }
  return all;
}

/// Whether the x values of all series need a logarithmic axis.
bool spreads_far(const std::vector<PlotSeries>& all) {
  double least = std::numeric_limits<double>::infinity(), most = 0.0;
  for (const auto& series : all)
    for (const double x : series.x) {
      least = std::min(least, x);
      most = std::max(most, x);
    }
  return least > 0.0 && most >= 8.0 * least;
}

std::string drawn(Plot plot) { return plot.series.empty() ? std::string() : svg_plot(plot); }

/// For an error bar; none for a single training run.
double deviation_of(const Sample& sample) {
  return sample.count > 1 ? sample.standard_deviation : std::numeric_limits<double>::quiet_NaN();
}

std::string values_svg(const Figure& figure, const ExperimentResult& result) {
  Plot plot{.title = figure.title,
            .x_label = figure.x,
            .y_label = std::string(measure_named(figure.measure).label),
            .series = {}};
  for (const auto& variant : result.experiment.variants) {
    const auto sample = result.shown_sample(variant.name, figure.measure);
    if (sample.count == 0) continue;
    auto series = std::find_if(plot.series.begin(), plot.series.end(),
                               [&](const PlotSeries& each) { return each.name == variant.group; });
    if (series == plot.series.end())
      series = plot.series.insert(series, {.name = variant.group, .x = {}, .y = {}});
    series->x.push_back(variant.value);
    series->y.push_back(sample.mean);
    series->error.push_back(deviation_of(sample));
  }
  plot.log_x = spreads_far(plot.series);
  return drawn(std::move(plot));
}

std::string bars_svg(const Figure& figure, const ExperimentResult& result) {
  BarChart chart{.title = figure.title,
                 .y_label = std::string(measure_named(figure.measure).label),
                 .categories = {},
                 .series = {{.name = "", .x = {}, .y = {}}}};
  for (const auto& variant : result.experiment.variants) {
    const auto sample = result.shown_sample(variant.name, figure.measure);
    if (sample.count == 0) continue;
    chart.categories.push_back(variant.name);
    chart.series.front().y.push_back(sample.mean);
    chart.series.front().error.push_back(deviation_of(sample));
  }
  return chart.categories.empty() ? std::string() : svg_bars(chart);
}

std::string curves_svg(const Figure& figure, const ExperimentResult& result) {
  const bool train = figure.of == "train";
  const auto add = [train](const TrialRecord& record, Points& points) {
    const auto& curve = train ? record.train : record.valid;
    for (std::size_t i = 0; i < curve.step.size(); ++i) points.add(curve.step[i], curve.nll[i]);
  };
  auto curves = series_by_variant(result, add);
  for (auto& curve : curves) curve = thinned(std::move(curve));
  return drawn({.title = figure.title,
                .x_label = "updates",
                .y_label = "nats per piece",
                .series = std::move(curves)});
}

/// The predictions of all trials in a bin: as in `reliability_table`, each of them counts the same.
struct PooledBin {
  double count = 0.0, confidence = 0.0, right = 0.0;  ///< sums

  void add(const ReliabilityBin& bin) {
    const auto predictions = static_cast<double>(bin.count);
    count += predictions;
    confidence += predictions * bin.confidence;
    right += predictions * bin.accuracy;
  }
};

std::string reliability_svg(const Figure& figure, const ExperimentResult& result) {
  Plot plot{.title = figure.title,
            .x_label = "probability of the best piece",
            .y_label = "accuracy",
            .series = {{.name = "perfect", .x = {0.0, 1.0}, .y = {0.0, 1.0}}}};
  for (const auto& variant : result.experiment.variants) {
    std::map<double, PooledBin> bins;
    for (const auto* trial : result.of_variant(variant.name))
      for (const auto& bin : trial->record.reliability)
        if (bin.count > 0) bins[bin.from].add(bin);
    PlotSeries series{.name = variant.name, .x = {}, .y = {}};
    for (const auto& [from, bin] : bins) {
      series.x.push_back(bin.confidence / bin.count);
      series.y.push_back(bin.right / bin.count);
    }
    if (!series.x.empty()) plot.series.push_back(std::move(series));
  }
  return plot.series.size() > 1 ? svg_plot(plot) : std::string();
}

std::string layers_svg(const Figure& figure, const ExperimentResult& result) {
  const bool initial = figure.of == "initial";
  const auto add = [&](const TrialRecord& record, Points& points) {
    for (const auto& layer : record.gradients) {
      const double norm = initial ? layer.initial : layer.trained;
      if (layer.stack == figure.measure && norm > 0.0)
        points.add(static_cast<double>(layer.layer), norm);
    }
  };
  return drawn({.title = figure.title,
                .x_label = "layer of the " + figure.measure,
                .y_label = "2-norm of the gradient",
                .log_y = true,
                .series = series_by_variant(result, add)});
}

std::string lengths_svg(const Figure& figure, const ExperimentResult& result) {
  const bool bleu = figure.measure == "bleu";
  const auto add = [bleu](const TrialRecord& record, Points& points) {
    for (const auto& bucket : record.lengths)
      if (bucket.sentences > 0)
        points.add(static_cast<double>(bucket.first), bleu ? bucket.bleu : bucket.nll);
  };
  return drawn({.title = figure.title,
                .x_label = "source pieces, from",
                .y_label = bleu ? "BLEU" : "nats per piece",
                .series = series_by_variant(result, add)});
}

std::string answers_svg(const Figure& figure, const ExperimentResult& result) {
  const auto add = [](const TrialRecord& record, Points& points) {
    for (const auto& each : record.answers)
      points.add(static_cast<double>(each.length), each.right);
  };
  Plot plot{.title = figure.title,
            .x_label = figure.x,
            .y_label = "share of the lines that is answered exactly",
            .series = series_by_variant(result, add)};
  plot.log_x = spreads_far(plot.series);
  return drawn(std::move(plot));
}

std::string heads_svg(const Figure& figure, const ExperimentResult& result) {
  const auto what = figure.measure == "distance"     ? &LayerHeads::distance
                    : figure.measure == "neighbours" ? &LayerHeads::neighbours
                                                     : &LayerHeads::relations;
  const auto add = [&](const TrialRecord& record, Points& points) {
    for (const auto& layer : record.heads)
      points.add(static_cast<double>(layer.layer), layer.*what);
  };
  return drawn({.title = figure.title,
                .x_label = "layer of the encoder",
                .y_label = figure.measure == "distance" ? "tokens" : "weight",
                .series = series_by_variant(result, add)});
}

}  // namespace

std::string figure_svg(const Figure& figure, const ExperimentResult& result) {
  switch (figure.kind) {
    case FigureKind::values: return values_svg(figure, result);
    case FigureKind::bars: return bars_svg(figure, result);
    case FigureKind::curves: return curves_svg(figure, result);
    case FigureKind::reliability: return reliability_svg(figure, result);
    case FigureKind::layers: return layers_svg(figure, result);
    case FigureKind::lengths: return lengths_svg(figure, result);
    case FigureKind::heads: return heads_svg(figure, result);
    case FigureKind::answers: break;
  }
  return answers_svg(figure, result);
}

}  // namespace dragoman
