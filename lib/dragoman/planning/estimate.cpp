#include "dragoman/planning/estimate.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/log.h"
#include "dragoman/core/machine.h"
#include "dragoman/core/process_usage.h"
#include "dragoman/core/quantity.h"
#include "dragoman/corpus/examples.h"
#include "dragoman/corpus/token_format.h"
#include "dragoman/data/epoch_plan.h"
#include "dragoman/model/parameter_count.h"
#include "dragoman/planning/benchmark.h"
#include "dragoman/planning/validation_time.h"
#include "dragoman/tensor/device.h"
#include "dragoman/tensor/foreign_errors.h"
#include "dragoman/train/memory_estimate.h"
#include "dragoman/train/training_setup.h"
#include "dragoman/train/worker_share.h"

#include <algorithm>
#include <cmath>

namespace dragoman {

namespace {

constexpr double probe_seconds = 4.0;
// A model is tried only if its calculated memory is at most this share of the free memory.
constexpr double safe_share = 0.6;
// ... and one update takes at most this many seconds.
constexpr double longest_update = 20.0;
// If it is not tried: the share of the matrix product's speed that training reaches.
constexpr double use_of_peak = 0.4;
constexpr double save_bytes_per_second = 250e6;  // checksums, writing, waiting for the disk
constexpr double bytes_of_ends = 8.0;            // of each pair in the token store
constexpr double planned_bytes = 24.0;           // of memory for each pair: lengths and order

/// Seconds to compute the loss on the validation text, whose pairs are taken to be as long as those
/// for training. An update has three passes of this length, or more for consistency training.
double loss_seconds(const SampledText& text, const TrainOptions& options,
                    const TrainingEstimate& estimate) {
  double pairs = 0.0;
  for (const auto& facts : text.preflight.validation) pairs += static_cast<double>(facts.pairs);
  return estimate.seconds_per_epoch / static_cast<double>(3 * options.passes()) * pairs /
         estimate.pairs_per_epoch;
}

void measure(const RunOptions& options, const SampledText& text, const EncodedSample& sample,
             const StreamOptions& stream, std::int64_t threads, double learning_memory_mb,
             TrainingEstimate& estimate) try {
  log_info(concat("check: training the model on a sample for a few seconds, ",
                  counted(estimate.workers, "worker")));
  const bool validates = !options.data.valid_source.empty();
  restart_peak_memory();
  const auto then = [&](const BenchmarkedModel& benchmarked) {
    const auto longest = longest_batch(sample.examples, options.train);
    auto one = stream;
    one.shares.clear();
    TrainingStream batches(longest, one, {});
    benchmarked.update(batches.next());
    if (validates && options.train.validate_translations)
      estimate.seconds_per_validation =
          translation_seconds(options, text.vocabulary, benchmarked.model, estimate.workers);
  };
  const UpdateSource updates{.examples = sample.examples,
                             .stream = stream,
                             .threads = threads,
                             .vocabulary = sizes_of(text.vocabulary),
                             .least_updates = 4};
  const auto result = benchmark_updates(options, updates, probe_seconds, then);
  estimate.measured = true;
  estimate.measured_updates = result.updates;
  estimate.seconds_per_epoch = estimate.flops_per_epoch / (result.achieved_gflops * 1e9);
  if (find_device(options.train.device).is_cpu())
    // Memory that learning has freed is reused by the training.
    estimate.memory_mb = std::max(
        static_cast<double>(peak_memory_mb()) +
            estimate.checkpoint_bytes / mebibyte +  // what is written while training goes on
            (text.complete ? 0.0 : estimate.pairs_per_epoch * planned_bytes / mebibyte),
        learning_memory_mb);
} catch (...) {
  const auto fault = memory_fault();
  if (!fault) throw;
  estimate.memory_fault = *fault;
  estimate.not_measured = "memory ran out while it was tried";
  estimate.seconds_per_validation = 0.0;
}

void add_disk(const RunOptions& options, const SampledText& text, const EncodedSample& sample,
              TrainingEstimate& estimate) {
  estimate.checkpoint_bytes =
      numbers_per_weight(options.train) * bytes_of_number(options.train.precision) *
          static_cast<double>(estimate.parameters) +
      static_cast<double>(text.vocabulary.source.bytes().size() +
                          (text.vocabulary.joint ? 0 : text.vocabulary.target.bytes().size()));
  // One more is written while the others exist, and the best by each of five metrics is kept.
  double best = options.data.valid_source.empty() ? 0.0 : 3.0;
  if (best > 0.0 && options.train.validate_translations) best += 2.0;
  const auto kept = static_cast<double>(options.train.keep_checkpoints) + 1.0 + best;
  const auto id_bytes = static_cast<double>(token_format::id_bytes(
      std::max(text.vocabulary.source.vocab_size(), text.vocabulary.target.vocab_size())));
  estimate.checkpoints_bytes = kept * estimate.checkpoint_bytes;
  estimate.text_bytes = id_bytes * sample.ids + bytes_of_ends * sample.pairs;
  estimate.seconds_per_save = estimate.checkpoint_bytes / save_bytes_per_second;
}

}  // namespace

TrainingEstimate estimate_training(const RunOptions& options, const SampledText& text,
                                   double learning_memory_mb) {
  const auto sample = encode_sample(options, text);
  if (sample.examples.empty())
    throw DataError(concat("training text: no pair of ", text.pairs.size(),
                           " passes the filters; raise data.max_length or data.max_ratio"));
  const auto parameters = parameter_count(options.model, sizes_of(text.vocabulary)).total.total();
  TrainingEstimate estimate{
      .parameters = parameters,
      .pairs_per_epoch = sample.pairs_per_epoch,
      .too_long_pairs = sample.too_long_pairs,
      .over_ratio_pairs = sample.over_ratio_pairs,
      .pieces_per_epoch = sample.pieces_per_epoch,
      .flops_per_epoch = sample.flops_per_epoch,
      .memory_mb = calculated_memory_mb(options, {.parameters = parameters}, /*processes=*/1,
                                        longest_side(sample.examples))};
  const auto device = find_device(options.train.device);
  const auto plan = plan_workers(options.train, device, estimate.parameters);
  estimate.workers = plan.workers;
  add_disk(options, text, sample, estimate);

  // A large text is planned in windows; one of that size shows how full their batches are.
  auto shares = sample.shares;
  const double scale =
      std::max(1.0, sample.pairs_per_epoch / static_cast<double>(EpochOptions{}.window));
  for (auto& share : shares) share.weight /= scale;
  auto stream = translation_stream(options, text.vocabulary, shares);
  stream.shards = estimate.workers;
  const auto planned = TrainingStream(sample.examples, stream, {}).updates_per_epoch();
  estimate.updates_per_epoch = std::round(static_cast<double>(planned) * scale);

  estimate.matmul_gflops =
      measure_matmul_gflops(plan.workers * plan.threads, 0.2, options.train.precision, device);
  estimate.seconds_per_epoch =
      estimate.flops_per_epoch / (use_of_peak * estimate.matmul_gflops * 1e9);
  const auto available = available_memory();
  if (device.is_cpu() && available &&
      estimate.memory_mb * mebibyte >= safe_share * static_cast<double>(*available))
    estimate.not_measured = "the model was not tried: too little memory is free";
  else if (estimate.seconds_per_epoch > longest_update * std::max(estimate.updates_per_epoch, 1.0))
    estimate.not_measured = "the model was not tried: it would take minutes";
  else
    measure(options, text, sample, stream, plan.threads, learning_memory_mb, estimate);
  estimate.seconds_per_validation += loss_seconds(text, options.train, estimate);
  return estimate;
}

nlohmann::json TrainingEstimate::json() const {
  return {{"parameters", parameters},
          {"pairs_per_epoch", pairs_per_epoch},
          {"too_long_pairs", too_long_pairs},
          {"over_ratio_pairs", over_ratio_pairs},
          {"target_pieces_per_epoch", pieces_per_epoch},
          {"updates_per_epoch", updates_per_epoch},
          {"flops_per_epoch", flops_per_epoch},
          {"memory_mb", memory_mb},
          {"matmul_gflops", matmul_gflops},
          {"seconds_per_epoch", seconds_per_epoch},
          {"fits", memory_fault.empty()},
          {"measured", measured},
          {"measured_updates", measured_updates},
          {"workers", workers},
          {"seconds_per_validation", seconds_per_validation},
          {"seconds_per_save", seconds_per_save},
          {"checkpoint_bytes", checkpoint_bytes}};
}

}  // namespace dragoman
