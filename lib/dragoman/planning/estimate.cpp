#include "dragoman/planning/estimate.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/log.h"
#include "dragoman/core/machine.h"
#include "dragoman/core/process_usage.h"
#include "dragoman/core/quantity.h"
#include "dragoman/core/stopwatch.h"
#include "dragoman/corpus/corpus.h"
#include "dragoman/corpus/pair_encoder.h"
#include "dragoman/corpus/token_format.h"
#include "dragoman/data/epoch_plan.h"
#include "dragoman/decoding/module_model.h"
#include "dragoman/model/parameter_count.h"
#include "dragoman/planning/benchmark.h"
#include "dragoman/tensor/device.h"
#include "dragoman/text/language_tags.h"
#include "dragoman/train/memory_estimate.h"
#include "dragoman/train/training_setup.h"
#include "dragoman/train/worker_share.h"
#include "dragoman/translate/line_translator.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

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
constexpr double planned_bytes = 24.0;           // of memory for each pair: lengths and order
constexpr std::size_t block_pairs = 1024;
constexpr std::size_t translated_lines = 64;

/// The sample as ids, and how often an epoch of the whole text contains each of its pairs.
struct EncodedSample {
  std::vector<Example> examples;
  std::vector<CorpusShare> shares;
  double pairs_per_epoch = 0.0;
  double pieces_per_epoch = 0.0;  ///< target
  double ids = 0.0;               ///< of both sides, in the token store
  double flops_per_epoch = 0.0;
};

/// Share of the pairs with text that are not left out as duplicates.
double share_of_new(const DataOptions& options, const PairFacts& facts) {
  const auto filled = static_cast<double>(facts.pairs - facts.empty_pairs);
  return options.drop_duplicates && filled > 0.0
             ? 1.0 - static_cast<double>(facts.duplicates) / filled
             : 1.0;
}

EncodedSample encode_sample(const RunOptions& options, const EstimateSource& source) {
  EncodedSample sample;
  auto data = options.data;
  if (!source.complete)
    data.drop_duplicates = false;  // a sample has fewer: counted by `share_of_new`
  PairEncoder encoder(source.vocabulary, data);
  const auto flops_of = update_flops(options, source.vocabulary.target.vocab_size());
  auto next = source.sample.begin();
  for (std::size_t file = 0; file < source.texts.training.size(); ++file) {
    const auto begin = sample.examples.size();
    double pieces = 0.0, ids = 0.0, flops = 0.0;
    const auto blocks = [&] {
      std::vector<LinePair> block;
      for (; next != source.sample.end() && next->file == file && block.size() < block_pairs;
           ++next)
        block.push_back(next->pair);
      return block;
    };
    encoder.set_vocabulary(with_languages(source.vocabulary, languages_of_file(data, file)));
    const auto report = encoder.encode(blocks, [&](Example&& example) {
      const auto source_len = std::ssize(example.source_ids),
                 target_len = std::ssize(example.target_ids);
      pieces += static_cast<double>(target_len);
      ids += static_cast<double>(source_len + target_len);
      flops += 3.0 * flops_of(source_len, target_len);
      sample.examples.push_back(std::move(example));
    });
    if (report.kept == 0) continue;
    const auto& facts = source.texts.training[file];
    const auto filled = static_cast<double>(facts.pairs - facts.empty_pairs);
    // Pairs of the whole text for each one of the sample.
    const double times = source.complete ? 1.0
                                         : filled * share_of_new(options.data, facts) /
                                               static_cast<double>(report.read);
    const double weight = options.data.weights.empty() ? 1.0 : options.data.weights[file];
    sample.ids += times * ids;
    sample.pairs_per_epoch += times * weight * static_cast<double>(sample.examples.size() - begin);
    sample.pieces_per_epoch += times * weight * pieces;
    sample.flops_per_epoch += times * weight * flops;
    sample.shares.push_back({.end = sample.examples.size(), .weight = times * weight});
  }
  return sample;
}

/// The longest pairs, as many as one batch takes: what needs the most memory.
std::vector<Example> longest_batch(const std::vector<Example>& examples,
                                   const TrainOptions& train) {
  const auto length = [](const Example& example) {
    return std::max(std::ssize(example.source_ids), std::ssize(example.target_ids));
  };
  std::vector<std::size_t> order(examples.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return length(examples[a]) > length(examples[b]);
  });
  const auto rows = std::max<std::int64_t>(1, train.batch_tokens / length(examples[order.front()]));
  const auto wanted = train.max_sentences > 0 ? std::min(rows, train.max_sentences) : rows;
  std::vector<Example> batch;
  for (std::int64_t i = 0; i < wanted; ++i)
    batch.push_back(examples[order[static_cast<std::size_t>(i) % order.size()]]);
  return batch;
}

/// Evenly spread lines of the validation text, and how many there are.
struct ValidationLines {
  std::vector<std::string> lines = {};
  double all = 0.0;
  double target_pieces = 0.0;  ///< of one pair, on average
};

ValidationLines validation_lines(const RunOptions& options, const Vocabulary& vocabulary) {
  const auto pairs = read_parallel(std::vector<std::string>{options.data.valid_source},
                                   std::vector<std::string>{options.data.valid_target});
  auto count = pairs.size();
  const auto asked = static_cast<std::size_t>(options.train.validate_sentences);
  if (asked > 0) count = std::min(count, asked);
  ValidationLines result{.all = static_cast<double>(count)};
  const auto wanted = std::min(count, translated_lines);
  for (std::size_t i = 0; i < wanted; ++i) {
    const auto& pair = pairs[i * count / wanted];
    result.lines.push_back(pair.source);
    result.target_pieces += static_cast<double>(vocabulary.target.encode(pair.target).size()) + 1.0;
  }
  result.target_pieces /= static_cast<double>(std::max<std::size_t>(1, result.lines.size()));
  return result;
}

/// Seconds to translate the validation text. A new model does not end its sentences: they
/// get the length of the references.
double translation_seconds(const RunOptions& options, const Vocabulary& vocabulary,
                           const Transformer& model, std::int64_t workers) {
  const auto text = validation_lines(options, vocabulary);
  if (text.lines.empty()) return 0.0;
  auto search = options.search;
  search.precision = SearchPrecision::float32;  // as in a validation
  search.max_length = std::max<std::int64_t>(2, std::llround(text.target_pieces));
  const InferenceModels models = {inference_model(model, search)};
  const LineTranslator translator(models, vocabulary, search,
                                  {.workers = models.front()->is_on_cpu() ? workers : 0,
                                   .max_source_length = options.data.max_length});
  const auto start = std::chrono::steady_clock::now();
  translator.translate(text.lines);
  return seconds_since(start) * text.all / static_cast<double>(text.lines.size());
}

/// Seconds to compute the loss on the validation text, whose pairs are taken to be as long as those
/// for training. An update has three passes of this length, or more for consistency training.
double loss_seconds(const EstimateSource& source, const TrainOptions& options,
                    const TrainingEstimate& estimate) {
  double pairs = 0.0;
  for (const auto& facts : source.texts.validation) pairs += static_cast<double>(facts.pairs);
  return estimate.seconds_per_epoch / static_cast<double>(3 * options.passes()) * pairs /
         estimate.pairs_per_epoch;
}

void measure(const RunOptions& options, const EstimateSource& source, const EncodedSample& sample,
             const StreamOptions& stream, std::int64_t threads, TrainingEstimate& estimate) {
  log_info(concat("check: training the model on a sample for a few seconds, ", estimate.workers,
                  estimate.workers == 1 ? " worker" : " workers"));
  const bool validates = !options.data.valid_source.empty();
  const auto then = [&](const BenchmarkedModel& benchmarked) {
    const auto longest = longest_batch(sample.examples, options.train);
    auto one = stream;
    one.shares.clear();
    TrainingStream batches(longest, one, {});
    benchmarked.update(batches.next());
    if (validates && options.train.validate_translations)
      estimate.seconds_per_validation =
          translation_seconds(options, source.vocabulary, benchmarked.model, estimate.workers);
  };
  const UpdateSource updates{.examples = sample.examples,
                             .stream = stream,
                             .threads = threads,
                             .vocabulary = sizes_of(source.vocabulary),
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
            (source.complete ? 0.0 : estimate.pairs_per_epoch * planned_bytes / mebibyte),
        source.learning_memory_mb);
}

void add_disk(const RunOptions& options, const EstimateSource& source, const EncodedSample& sample,
              TrainingEstimate& estimate) {
  estimate.checkpoint_bytes =
      numbers_per_weight(options.train) * bytes_of_number(options.train.precision) *
          static_cast<double>(estimate.parameters) +
      static_cast<double>(source.vocabulary.source.bytes().size() +
                          (source.vocabulary.joint ? 0 : source.vocabulary.target.bytes().size()));
  // One more is written while the others exist, and the best by each of five metrics is kept.
  double best = options.data.valid_source.empty() ? 0.0 : 3.0;
  if (best > 0.0 && options.train.validate_translations) best += 2.0;
  const auto kept = static_cast<double>(options.train.keep_checkpoints) + 1.0 + best;
  const auto id_bytes = static_cast<double>(token_format::id_bytes(
      std::max(source.vocabulary.source.vocab_size(), source.vocabulary.target.vocab_size())));
  estimate.disk_bytes =
      kept * estimate.checkpoint_bytes + id_bytes * sample.ids + 8.0 * estimate.pairs_per_epoch;
  estimate.seconds_per_save = estimate.checkpoint_bytes / save_bytes_per_second;
}

/// Tokens of the longest side.
std::int64_t longest_of(std::span<const Example> examples) {
  std::int64_t longest = 0;
  for (const auto& example : examples)
    longest = std::max({longest, std::ssize(example.source_ids), std::ssize(example.target_ids)});
  return longest;
}

}  // namespace

TrainingEstimate estimate_training(const RunOptions& options, const EstimateSource& source) {
  const auto sample = encode_sample(options, source);
  if (sample.examples.empty())
    throw DataError(concat("training text: no pair of ", source.sample.size(),
                           " passes the filters; raise data.max_length or data.max_ratio"));
  const auto sizes = sizes_of(source.vocabulary);
  TrainingEstimate estimate{.parameters = parameter_count(options.model, sizes).total.total(),
                            .pairs_per_epoch = sample.pairs_per_epoch,
                            .pieces_per_epoch = sample.pieces_per_epoch,
                            .flops_per_epoch = sample.flops_per_epoch,
                            .memory_mb = calculated_memory_mb(options, sizes, /*processes=*/1,
                                                              longest_of(sample.examples))};
  const auto device = find_device(options.train.device);
  const auto plan = plan_workers(options.train, device, estimate.parameters);
  estimate.workers = plan.workers;
  add_disk(options, source, sample, estimate);

  // A large text is planned in windows; one of that size shows how full their batches are.
  auto shares = sample.shares;
  const double scale =
      std::max(1.0, sample.pairs_per_epoch / static_cast<double>(EpochOptions{}.window));
  for (auto& share : shares) share.weight /= scale;
  auto stream = translation_stream(options, source.vocabulary, shares);
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
    estimate.not_tried = "too little memory is free";
  else if (estimate.seconds_per_epoch > longest_update * std::max(estimate.updates_per_epoch, 1.0))
    estimate.not_tried = "it would take minutes";
  else
    measure(options, source, sample, stream, plan.threads, estimate);
  estimate.seconds_per_validation += loss_seconds(source, options.train, estimate);
  return estimate;
}

nlohmann::json TrainingEstimate::json() const {
  return {{"parameters", parameters},
          {"pairs_per_epoch", pairs_per_epoch},
          {"target_pieces_per_epoch", pieces_per_epoch},
          {"updates_per_epoch", updates_per_epoch},
          {"flops_per_epoch", flops_per_epoch},
          {"memory_mb", memory_mb},
          {"matmul_gflops", matmul_gflops},
          {"seconds_per_epoch", seconds_per_epoch},
          {"measured", measured},
          {"measured_updates", measured_updates},
          {"workers", workers},
          {"seconds_per_validation", seconds_per_validation},
          {"seconds_per_save", seconds_per_save},
          {"checkpoint_bytes", checkpoint_bytes},
          {"disk_bytes", disk_bytes}};
}

}  // namespace dragoman
