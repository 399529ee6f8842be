#include "dragoman/planning/benchmark.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/mix.h"
#include "dragoman/core/process_usage.h"
#include "dragoman/core/quantity.h"
#include "dragoman/core/stopwatch.h"
#include "dragoman/data/stream.h"
#include "dragoman/model/parameter_count.h"
#include "dragoman/optimizer/schedule.h"
#include "dragoman/tensor/device.h"
#include "dragoman/tensor/worker_pool.h"
#include "dragoman/train/device_choices.h"
#include "dragoman/train/training_setup.h"
#include "dragoman/train/translation_model.h"
#include "dragoman/train/update_pipeline.h"
#include "dragoman/train/worker_share.h"

#include <torch/types.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <utility>

namespace dragoman {

namespace {

/// Updates as a training does them, and their sums.
class UpdateLoop {
 public:
  UpdateLoop(const UpdatedParts& parts, const RunOptions& options)
      : parts_(parts), options_(options) {
    if (!parts.workers.weights().is_cpu())
      pipeline_.emplace(
          parts, [this](std::int64_t) { return next_settings(); },
          [this](const UpdateData&, const UpdateSettings&, const UpdateResult& result) {
            sums_ += result.sums;
          });
  }

  void step(UpdateData data) {
    if (pipeline_)
      pipeline_->start(std::move(data));
    else
      sums_ += whole(data).sums;
  }

  /// An update alone, its result read.
  UpdateResult whole(const UpdateData& data) { return update(parts_, data, next_settings()); }

  /// Of the updates since the last call; waits for the one that is under way.
  UpdateSums take_sums() {
    if (pipeline_) pipeline_->finish();
    return std::exchange(sums_, {});
  }

 private:
  /// Adam has counted the update that is under way.
  UpdateSettings next_settings() const {
    const auto step = parts_.adam.steps() + 1;
    return {.learning_rate = learning_rate(options_.train, options_.model.d_model, step),
            .clip_norm = options_.train.clip_norm,
            .key = mix(1, static_cast<std::uint64_t>(step))};
  }

  UpdatedParts parts_;
  const RunOptions& options_;
  std::optional<UpdatePipeline> pipeline_;
  UpdateSums sums_;
};

double product_gflops(std::int64_t n, const at::TensorOptions& type, double seconds) {
  const torch::NoGradGuard no_gradients;
  // Equal numbers draw less power, so a GPU would look faster than it is in training.
  const auto a = (at::rand({n, n}, at::detail::createCPUGenerator()) - 0.5).to(type);
  auto out = torch::mm(a, a);
  const auto start = std::chrono::steady_clock::now();
  double products = 0.0;
  while (seconds_since(start) < seconds) {
    at::mm_out(out, a, a);
    if (!type.device().is_cpu()) out[0][0].item<double>();  // waits for it
    ++products;
  }
  return products * 2.0 * static_cast<double>(n * n * n) / seconds_since(start) / 1e9;
}

}  // namespace

double measure_matmul_gflops(std::int64_t threads, double seconds, Precision precision,
                             const c10::Device& device) {
  WorkerPool pool(threads);
  const auto type = torch::TensorOptions(precision == Precision::bf16 ? torch::kBFloat16
                                                                      : weight_dtype(precision))
                        .device(device);
  const auto sizes = device.is_cpu() ? std::array<std::int64_t, 3>{512, 1024, 2048}
                                     : std::array<std::int64_t, 3>{1024, 4096, 8192};
  double best = 0.0;
  for (const auto n : sizes) {
    std::vector<double> gflops(static_cast<std::size_t>(threads));
    pool.run([&](std::int64_t worker) {
      gflops[static_cast<std::size_t>(worker)] = product_gflops(n, type, seconds / 3.0);
    });
    best = std::max(best, std::accumulate(gflops.begin(), gflops.end(), 0.0));
  }
  return best;
}

std::vector<Example> random_examples(std::int64_t count, std::int64_t vocab_size,
                                     const SpecialIds& special, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> source_length(15.0, 5.0), difference(1.0, 2.5);
  std::uniform_int_distribution<std::int32_t> piece(4, static_cast<std::int32_t>(vocab_size) - 1);
  const auto sentence = [&](double length) {
    std::vector<std::int32_t> ids(static_cast<std::size_t>(std::max(4.0, std::round(length))));
    for (auto& id : ids) id = piece(random);
    ids.back() = static_cast<std::int32_t>(special.eos);
    return ids;
  };
  std::vector<Example> examples(static_cast<std::size_t>(count));
  for (auto& example : examples) {
    const double length = std::max(4.0, source_length(random));
    example = {.source_ids = sentence(length), .target_ids = sentence(length + difference(random))};
  }
  return examples;
}

TrainingBenchmark benchmark_updates(const RunOptions& options, const UpdateSource& source,
                                    double seconds,
                                    const std::function<void(const BenchmarkedModel&)>& then) {
  const auto model = make_model(options, source.vocabulary, find_device(options.train.device));
  DataParallel workers(std::make_shared<TranslationModel>(model, options), options.train,
                       {.workers = source.stream.shards, .threads = source.threads});
  Adam adam(workers.weights(), options.train);
  WeightAverage average(workers.weights(), options.train.ema_decay);
  UpdateLoop updates({.workers = workers, .adam = adam, .average = average}, options);
  auto shared = source.stream;
  shared.pin = workers.weights().is_cuda();
  TrainingStream stream(source.examples, shared, {});
  TrainingBenchmark result;
  result.workers = source.stream.shards;
  result.threads = source.threads;
  result.updates_per_epoch = stream.updates_per_epoch();
  result.parameters = parameters_in(*model);
  auto start = std::chrono::steady_clock::now();
  for (bool warm = false;;) {
    if (!warm && seconds_since(start) > seconds / 4.0) {
      warm = true;
      updates.take_sums();
      start = std::chrono::steady_clock::now();
      result.updates = 0;
      workers.seconds() = {};
    }
    const bool enough =
        result.updates >= source.least_updates || seconds_since(start) >= 5.0 * seconds;
    if (warm && seconds_since(start) >= seconds && enough) break;
    updates.step(timed(workers.seconds().data, [&] { return stream.next(); }));
    ++result.updates;
  }
  const auto sums = updates.take_sums();
  result.seconds = seconds_since(start);
  const auto real = sums.counts.source_tokens + sums.loss.tokens;
  result.target_tokens_per_second = static_cast<double>(sums.loss.tokens) / result.seconds;
  result.achieved_gflops = sums.counts.flops / result.seconds / 1e9;
  result.padding =
      static_cast<double>(sums.counts.padding) / static_cast<double>(sums.counts.padding + real);
  result.peak_memory_mb = peak_memory_mb();
  result.parts = workers.seconds();
  result.on_cpu = workers.weights().is_cpu();
  if (then)
    then({.model = model, .update = [&](const UpdateData& data) { return updates.whole(data); }});
  return result;
}

TrainingBenchmark benchmark_training(const RunOptions& asked, const std::vector<Example>& examples,
                                     const VocabularySizes& vocabulary, double seconds) {
  const auto options = with_device_choices(asked, std::nullopt);
  const auto parameters = parameter_count(options.model, vocabulary).total.total();
  const auto device = find_device(options.train.device);
  const auto plan = plan_workers(options.train, device, parameters);
  auto stream = stream_options(options, {}, {});
  stream.shards = plan.workers;
  count_costs(stream, options, vocabulary.target);
  const UpdateSource source{
      .examples = examples, .stream = stream, .threads = plan.threads, .vocabulary = vocabulary};
  auto result = benchmark_updates(options, source, seconds);
  result.matmul_gflops =
      measure_matmul_gflops(plan.workers * plan.threads, 1.0, options.train.precision, device);
  return result;
}

std::string TrainingBenchmark::text() const {
  const auto share = [this](double part) { return 100.0 * part / seconds; };
  const auto per_worker = [&](double part) { return share(part) / static_cast<double>(workers); };
  char lines[800];
  std::snprintf(lines, sizeof lines,
                "target tokens/s   %.0f\n"
                "achieved GFLOP/s  %.1f (%.0f %% of %.0f, the matrix product's peak)\n"
                "peak memory       %lld MiB%s\n"
                "padding           %.1f %%\n"
                "workers           %lld with %s each, %s, %s in %.1f s\n",
                target_tokens_per_second, achieved_gflops, 100.0 * achieved_gflops / matmul_gflops,
                matmul_gflops, static_cast<long long>(peak_memory_mb), on_cpu ? "" : " of the host",
                100.0 * padding, static_cast<long long>(workers),
                counted(threads, "thread").c_str(), counted(parameters, "parameter").c_str(),
                counted(updates, "update").c_str(), seconds);
  if (!on_cpu) return lines;
  char times[200];
  std::snprintf(times, sizeof times,
                "time by part      data %.2f %%, forward %.1f %%, loss %.1f %%, backward %.1f %%, "
                "optimizer %.1f %%\n",
                share(parts.data), per_worker(parts.forward), per_worker(parts.loss),
                per_worker(parts.backward), share(parts.optimizer));
  return concat(lines, times);
}

nlohmann::json TrainingBenchmark::json() const {
  const auto per_worker = static_cast<double>(workers) * seconds;
  nlohmann::json out = {{"target_tokens_per_second", target_tokens_per_second},
                        {"achieved_gflops", achieved_gflops},
                        {"matmul_gflops", matmul_gflops},
                        {"peak_memory_mb", peak_memory_mb},
                        {"padding", padding},
                        {"parameters", parameters},
                        {"workers", workers},
                        {"threads", threads},
                        {"updates", updates},
                        {"seconds", seconds}};
  if (on_cpu)
    out["share"] = {{"data", parts.data / seconds},
                    {"forward", parts.forward / per_worker},
                    {"loss", parts.loss / per_worker},
                    {"backward", parts.backward / per_worker},
                    {"optimizer", parts.optimizer / seconds}};
  return out;
}

}  // namespace dragoman
