#include "dragoman/complexity/parallel_benchmark.h"

#include "dragoman/complexity/pass_cost.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/progress.h"
#include "dragoman/core/quantity.h"
#include "dragoman/model/transformer.h"
#include "dragoman/report/text_table.h"
#include "dragoman/tensor/thread_count.h"

#include <torch/types.h>

namespace dragoman {

namespace {

/// A batch whose source is encoded.
struct EncodedBatch {
  at::Tensor source_mask, memory, target;
};

EncodedBatch random_batch(Transformer& model, const ParallelOptions& options, std::int64_t length) {
  const auto ids = [&] {
    return at::randint(4, options.vocab_size, {options.sentences, length}, at::kLong);
  };
  const auto source = ids();
  const auto mask = at::ones_like(source, at::kBool);
  return {mask, model->encode(source, mask), ids()};
}

at::Tensor whole_logits(Transformer& model, const EncodedBatch& batch) {
  return model->generator()->forward(model->decode(batch.target, batch.memory, batch.source_mask));
}

at::Tensor last_logits_uncached(Transformer& model, const EncodedBatch& batch) {
  const auto states = model->decode(batch.target, batch.memory, batch.source_mask);
  return model->generator()->forward(states.select(1, -1));
}

at::Tensor stepwise_logits(Transformer& model, const EncodedBatch& batch) {
  auto state = model->start(batch.memory, batch.source_mask);
  std::vector<at::Tensor> logits;
  for (std::int64_t position = 0; position < batch.target.size(1); ++position)
    logits.push_back(model->step(batch.target.select(1, position), state));
  return at::stack(logits, 1);
}

}  // namespace

ParallelBenchmark benchmark_parallel(const ParallelOptions& options) {
  const torch::NoGradGuard no_gradient;
  const ThreadCount one_thread(1);
  torch::manual_seed(1);
  Transformer model(options.model, VocabularySizes{options.vocab_size, options.vocab_size});
  model->eval();
  ParallelBenchmark benchmark{.options = options, .costs = {}};
  Progress progress("measuring", "lengths", std::ssize(options.lengths));
  for (const auto length : options.lengths) {
    const auto batch = random_batch(model, options, length);
    ParallelCost cost{.length = length};
    cost.difference =
        (whole_logits(model, batch) - stepwise_logits(model, batch)).abs().max().item<double>();
    cost.whole_seconds = fastest_run([&] { whole_logits(model, batch); }, options.seconds);
    cost.steps_seconds = fastest_run([&] { stepwise_logits(model, batch); }, options.seconds);
    cost.uncached_step_seconds =
        fastest_run([&] { last_logits_uncached(model, batch); }, options.seconds);
    benchmark.costs.push_back(cost);
    progress.show(std::ssize(benchmark.costs));
  }
  return benchmark;
}

std::string ParallelBenchmark::text() const {
  std::vector<std::vector<std::string>> rows = {{"n", "at once ms", "step by step ms",
                                                 "ms per step", "last step uncached ms", "speed-up",
                                                 "largest difference"}};
  for (const auto& cost : costs)
    rows.push_back({std::to_string(cost.length), decimal(1e3 * cost.whole_seconds, 1),
                    decimal(1e3 * cost.steps_seconds, 1), decimal(1e3 * cost.seconds_per_step(), 2),
                    decimal(1e3 * cost.uncached_step_seconds, 1), decimal(cost.speed_up(), 1),
                    concat(cost.difference)});
  return concat("decoder and generator over ", options.sentences,
                " sentences of n tokens, d_model ", options.model.d_model, ", ",
                options.model.decoder_layers, " layers, ", options.vocab_size,
                " pieces, CPU time of one thread\n", text_table(rows));
}

nlohmann::json ParallelBenchmark::json() const {
  nlohmann::json out{{"d_model", options.model.d_model},
                     {"decoder_layers", options.model.decoder_layers},
                     {"sentences", options.sentences},
                     {"costs", nlohmann::json::array()}};
  for (const auto& cost : costs)
    out["costs"].push_back({{"length", cost.length},
                            {"whole_seconds", cost.whole_seconds},
                            {"steps_seconds", cost.steps_seconds},
                            {"seconds_per_step", cost.seconds_per_step()},
                            {"uncached_step_seconds", cost.uncached_step_seconds},
                            {"speed_up", cost.speed_up()},
                            {"difference", cost.difference}});
  return out;
}

Plot ParallelBenchmark::plot() const {
  PlotSeries whole{.name = "whole sequence at once", .x = {}, .y = {}};
  PlotSeries steps{.name = "step by step", .x = {}, .y = {}};
  for (const auto& cost : costs) {
    for (auto* series : {&whole, &steps}) series->x.push_back(static_cast<double>(cost.length));
    whole.y.push_back(1e3 * cost.whole_seconds);
    steps.y.push_back(1e3 * cost.steps_seconds);
  }
  return {.title = "Teacher forcing",
          .x_label = "target tokens n",
          .y_label = "milliseconds",
          .log_x = true,
          .log_y = true,
          .series = {whole, steps}};
}

}  // namespace dragoman
