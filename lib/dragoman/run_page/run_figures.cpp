#include "dragoman/run_page/run_figures.h"

#include "dragoman/core/concat.h"
#include "dragoman/report/short_names.h"
#include "dragoman/report/svg_plot.h"

#include <array>
#include <cmath>

namespace dragoman {

namespace {

struct Quantity {
  const char* key;  ///< in train.jsonl
  const char* title;
  const char* unit;
  double factor = 1.0;
  bool log = false;
};

constexpr std::array quantities{
    Quantity{"loss", "Loss, label-smoothed as in training", "nats per target token"},
    Quantity{"consistency", "Divergence of two passes, a part of the loss",
             "nats per target token"},
    Quantity{"perplexity", "Perplexity, without label smoothing", "of a target token", 1.0, true},
    Quantity{"accuracy", "Token accuracy", "%", 100.0},
    Quantity{"bleu", "BLEU", "of the validation text"},
    Quantity{"chrf", "chrF2", "of the validation text"},
    Quantity{"learning_rate", "Learning rate", ""},
    Quantity{"gradient_norm", "Norm of the gradient", "before clipping", 1.0, true},
    Quantity{"target_tokens_per_second", "Speed", "target tokens per second"},
    Quantity{"padding", "Padding", "% of all positions", 100.0}};

/// What the lines of each run are called.
std::vector<std::string> names_of(std::span<const RunHistory> runs) {
  std::vector<std::string> names;
  for (const auto& run : runs) names.push_back(run.name);
  return short_names(names);
}

PlotSeries series_of(const std::string& name, const std::vector<nlohmann::json>& records,
                     const Quantity& quantity) {
  PlotSeries series{.name = name, .x = {}, .y = {}};
  for (const auto& record : records) {
    const auto value = record.find(quantity.key);
    if (value == record.end() || !value->is_number()) continue;
    const double y = quantity.factor * value->get<double>();
    constexpr double largest = 1e100;  // that an axis can show
    if (!(std::abs(y) < largest) || (quantity.log && y <= 0.0)) continue;
    series.x.push_back(record.at("step").get<double>());
    series.y.push_back(y);
  }
  return series;
}

}  // namespace

std::vector<std::string> run_figures(std::span<const RunHistory> runs) {
  std::vector<std::string> figures;
  const auto names = names_of(runs);
  for (const auto& quantity : quantities) {
    Plot plot{.title = quantity.title,
              .x_label = "updates",
              .y_label = quantity.unit,
              .log_y = quantity.log,
              .series = {}};
    const auto add = [&](const std::string& run, const char* part,
                         const std::vector<nlohmann::json>& records) {
      const auto name = runs.size() == 1 ? std::string(part) : concat(run, ", ", part);
      auto series = thinned(series_of(name, records, quantity));
      if (!series.x.empty()) plot.series.push_back(std::move(series));
    };
    for (std::size_t i = 0; i < runs.size(); ++i) {
      add(names[i], "training", runs[i].train);
      add(names[i], "validation", runs[i].validations);
    }
    if (!plot.series.empty()) figures.push_back(svg_plot(plot));
  }
  return figures;
}

}  // namespace dragoman
