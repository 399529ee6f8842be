#include "dragoman/complexity/recurrent_benchmark.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/progress.h"
#include "dragoman/core/quantity.h"
#include "dragoman/report/text_table.h"

#include <ATen/Context.h>

namespace dragoman {

namespace {

/// Million multiply-adds for one sequence.
struct LayerCounts {
  double attention, recurrent, lstm;
};

LayerCounts counts_of(LayerSizes sizes, std::int64_t length) {
  sizes.length = length;
  const auto mega = [&](LayerPart part) {
    return static_cast<double>(multiply_adds(part, sizes)) / 1e6;
  };
  return {.attention = mega(LayerPart::attention) + mega(LayerPart::projections),
          .recurrent = mega(LayerPart::recurrent),
          .lstm = mega(LayerPart::lstm)};
}

std::string milliseconds(const PassCost& cost) { return decimal(1e3 * cost.seconds(), 2); }

nlohmann::json json_of_cost(const PassCost& cost, double mega_multiply_adds) {
  return {{"multiply_adds", 1e6 * mega_multiply_adds},
          {"forward_seconds", cost.forward_seconds},
          {"backward_seconds", cost.backward_seconds},
          {"peak_mb", cost.peak_mb}};
}

}  // namespace

RecurrentBenchmark benchmark_recurrent(const RecurrentOptions& options) {
  RecurrentBenchmark benchmark{.options = options, .costs = {}};
  at::manual_seed(1);
  Progress progress("measuring layers", "lengths", std::ssize(options.lengths));
  for (const auto length : options.lengths) {
    auto sizes = options.sizes;
    sizes.length = length;
    const auto measure = [&](const LayerProbe& probe) {
      return measure_passes(probe, sizes, options.sentences, options.seconds);
    };
    benchmark.costs.push_back({.length = length,
                               .attention = measure(make_self_attention_probe(sizes)),
                               .recurrent = measure(make_layer_probe(LayerPart::recurrent, sizes)),
                               .lstm = measure(make_layer_probe(LayerPart::lstm, sizes))});
    progress.show(std::ssize(benchmark.costs));
  }
  return benchmark;
}

std::string RecurrentBenchmark::text() const {
  const auto d = options.sizes.d_model;
  std::vector<std::vector<std::string>> rows = {{"n", "n : d", "attention Mma", "ms",
                                                 "simple RNN Mma", "ms", "LSTM Mma", "ms",
                                                 "LSTM : attention"}};
  for (const auto& cost : costs) {
    const auto counts = counts_of(options.sizes, cost.length);
    rows.push_back({std::to_string(cost.length),
                    cost.length < d   ? "n < d"
                    : cost.length > d ? "n > d"
                                      : "n = d",
                    decimal(counts.attention, 1), milliseconds(cost.attention),
                    decimal(counts.recurrent, 1), milliseconds(cost.recurrent),
                    decimal(counts.lstm, 1), milliseconds(cost.lstm),
                    decimal(cost.lstm.seconds() / cost.attention.seconds(), 2)});
  }
  return concat(
      "one layer of d = ", d, " features, ", options.sentences,
      " sequences of n positions, forward and backward pass, CPU time of one "
      "thread; Mma: million multiply-adds per forward pass of one sequence\n",
      text_table(rows),
      "multiply-adds: self-attention with projections 4 n d^2 + 2 n^2 d, more than a simple "
      "recurrent layer's 2 n d^2 at every n,\nfewer than an LSTM's 8 n d^2 below n = 2d = ",
      2 * d, "\n");
}

nlohmann::json RecurrentBenchmark::json() const {
  nlohmann::json out{{"d_model", options.sizes.d_model},
                     {"num_heads", options.sizes.num_heads},
                     {"sentences", options.sentences},
                     {"costs", nlohmann::json::array()}};
  for (const auto& cost : costs) {
    const auto counts = counts_of(options.sizes, cost.length);
    out["costs"].push_back({{"length", cost.length},
                            {"attention", json_of_cost(cost.attention, counts.attention)},
                            {"recurrent", json_of_cost(cost.recurrent, counts.recurrent)},
                            {"lstm", json_of_cost(cost.lstm, counts.lstm)}});
  }
  return out;
}

Plot RecurrentBenchmark::plot() const {
  std::vector<PlotSeries> series = {{.name = "self-attention", .x = {}, .y = {}},
                                    {.name = "simple recurrent", .x = {}, .y = {}},
                                    {.name = "LSTM", .x = {}, .y = {}}};
  for (const auto& cost : costs) {
    const PassCost* measured[] = {&cost.attention, &cost.recurrent, &cost.lstm};
    for (std::size_t i = 0; i < series.size(); ++i) {
      series[i].x.push_back(static_cast<double>(cost.length));
      series[i].y.push_back(1e3 * measured[i]->seconds());
    }
  }
  return {.title = concat("One layer, d = ", options.sizes.d_model, ", one thread"),
          .x_label = "positions n",
          .y_label = "milliseconds",
          .log_x = true,
          .log_y = true,
          .series = std::move(series)};
}

}  // namespace dragoman
