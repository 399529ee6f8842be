#include "dragoman/complexity/recompute_benchmark.h"

#include "dragoman/complexity/pass_cost.h"
#include "dragoman/config/option_text.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/progress.h"
#include "dragoman/core/quantity.h"
#include "dragoman/model/transformer.h"
#include "dragoman/report/text_table.h"
#include "dragoman/tensor/memory_watch.h"
#include "dragoman/tensor/random_stream.h"
#include "dragoman/tensor/thread_count.h"

#include <torch/types.h>

namespace dragoman {

namespace {

constexpr std::int64_t few_pieces = 64;  // small, since only the layers are measured

/// A model with a given number of layers, and a batch.
struct DeepModel {
  Transformer model{nullptr};
  at::Tensor source, mask, target;

  DeepModel(const RecomputeOptions& options, std::int64_t layers) {
    auto sizes = options.model;
    sizes.encoder_layers = sizes.decoder_layers = layers;
    torch::manual_seed(1);
    model = Transformer(sizes, VocabularySizes{few_pieces, few_pieces});
    model->train();
    for (auto& parameter : model->parameters())
      parameter.mutable_grad() = at::zeros_like(parameter);
    source = at::randint(4, few_pieces, {options.sentences, options.length}, at::kLong);
    target = at::randint(4, few_pieces, {options.sentences, options.length}, at::kLong);
    mask = at::ones_like(source, at::kBool);
  }

  void update() {
    for (auto& parameter : model->parameters()) parameter.mutable_grad().zero_();
    const RandomScope same_dropout(1);
    model->decode(target, model->encode(source, mask), mask).square().mean().backward();
  }

  at::Tensor gradient() {
    std::vector<at::Tensor> parts;
    for (const auto& parameter : model->parameters()) parts.push_back(parameter.grad().flatten());
    return at::cat(parts);
  }
};

RecomputeCost measure_recompute(DeepModel& deep, const RecomputeOptions& options,
                                std::int64_t layers, Recompute kind) {
  TrainOptions train;
  train.recompute = kind;
  train.recompute_every = options.recompute_every;
  RecomputeCost cost{.layers = layers, .kind = kind, .segment = train.recomputed_layers(layers)};
  deep.model->recompute(cost.segment, cost.segment);
  {
    const MemoryWatch watch;
    deep.update();
    cost.peak_mb = watch.peak_mb();
  }
  cost.seconds = fastest_run([&] { deep.update(); }, options.seconds);
  return cost;
}

}  // namespace

RecomputeBenchmark benchmark_recompute(const RecomputeOptions& options) {
  const ThreadCount one_thread(1);
  RecomputeBenchmark benchmark{.options = options, .costs = {}};
  Progress progress("measuring", "costs", std::ssize(options.layers) * std::ssize(options.kinds));
  for (const auto layers : options.layers) {
    DeepModel deep(options, layers);
    deep.update();
    const auto kept = deep.gradient();
    for (const auto kind : options.kinds) {
      benchmark.costs.push_back(measure_recompute(deep, options, layers, kind));
      benchmark.costs.back().same_gradient = at::equal(deep.gradient(), kept);
      progress.show(std::ssize(benchmark.costs));
    }
  }
  return benchmark;
}

std::string RecomputeBenchmark::text() const {
  std::vector<std::vector<std::string>> rows = {
      {"layers", "recompute", "segment", "peak MiB", "ms", "memory", "time", "same gradient"}};
  const RecomputeCost* first = nullptr;
  for (const auto& cost : costs) {
    if (first == nullptr || first->layers != cost.layers) first = &cost;
    rows.push_back({std::to_string(cost.layers), option_text(cost.kind),
                    std::to_string(cost.segment), decimal(cost.peak_mb, 1),
                    decimal(1e3 * cost.seconds, 1), decimal(cost.peak_mb / first->peak_mb, 2),
                    decimal(cost.seconds / first->seconds, 2), cost.same_gradient ? "yes" : "no"});
  }
  return concat(
      "forward and backward pass of encoder and decoder with the given number of layers each, "
      "d_model ",
      options.model.d_model, ", d_ff ", options.model.d_ff, ", dropout ", options.model.dropout,
      ", ", options.sentences, " sentences of ", options.length,
      " tokens, CPU time of one thread;\nmemory in addition to weights and gradients, and time, "
      "relative to the first row of each number of layers\n",
      text_table(rows));
}

nlohmann::json RecomputeBenchmark::json() const {
  nlohmann::json out{{"d_model", options.model.d_model},
                     {"d_ff", options.model.d_ff},
                     {"sentences", options.sentences},
                     {"length", options.length},
                     {"costs", nlohmann::json::array()}};
  for (const auto& cost : costs)
    out["costs"].push_back({{"layers", cost.layers},
                            {"recompute", cost.kind},
                            {"segment", cost.segment},
                            {"seconds", cost.seconds},
                            {"peak_mb", cost.peak_mb},
                            {"same_gradient", cost.same_gradient}});
  return out;
}

Plot RecomputeBenchmark::plot() const {
  Plot plot{.title = "Memory of a forward and backward pass",
            .x_label = "layers of encoder and decoder each",
            .y_label = "peak MiB",
            .series = {}};
  for (const auto kind : options.kinds) {
    PlotSeries series{.name = option_text(kind), .x = {}, .y = {}};
    for (const auto& cost : costs) {
      if (cost.kind != kind) continue;
      series.x.push_back(static_cast<double>(cost.layers));
      series.y.push_back(cost.peak_mb);
    }
    plot.series.push_back(std::move(series));
  }
  return plot;
}

}  // namespace dragoman
