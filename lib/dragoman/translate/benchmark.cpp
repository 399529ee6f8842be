#include "dragoman/translate/benchmark.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/process_usage.h"
#include "dragoman/core/quantity.h"
#include "dragoman/core/stopwatch.h"
#include "dragoman/data/buckets.h"
#include "dragoman/decoding/module_model.h"
#include "dragoman/search/beam_search.h"
#include "dragoman/search/forwarding_scorer.h"
#include "dragoman/translate/workers.h"

#include <chrono>
#include <cmath>
#include <functional>

namespace dragoman {

namespace {

/// Passes over the whole text; `pass` returns the number of target tokens generated.
TranslationBenchmark measure(std::size_t sentences, double seconds,
                             const std::function<std::int64_t()>& pass) {
  pass();
  TranslationBenchmark result{.sentences = static_cast<std::int64_t>(sentences)};
  const auto start = std::chrono::steady_clock::now();
  std::int64_t tokens = 0;
  while (result.seconds < seconds) {
    tokens += pass();
    ++result.passes;
    result.seconds = seconds_since(start);
  }
  const auto passes = static_cast<double>(result.passes);
  result.sentences_per_second = passes * static_cast<double>(sentences) / result.seconds;
  result.target_tokens_per_second = static_cast<double>(tokens) / result.seconds;
  result.peak_memory_mb = peak_memory_mb();
  return result;
}

void name_search(const SearchOptions& search, TranslationBenchmark& result) {
  const bool by_beam = !search.greedy && !search.sample;
  result.beam_size = by_beam ? search.beam_size : 1;
  result.search = search.sample   ? "sampling"
                  : search.greedy ? "greedy"
                                  : concat("beam ", search.beam_size);
}

/// Forbids EOS, so that an untrained model stops only at the length limit.
class EndlessScorer : public ForwardingScorer {
 public:
  EndlessScorer(std::unique_ptr<NextTokenScorer> scorer, std::int64_t eos)
      : ForwardingScorer(std::move(scorer)), eos_(eos) {}

  Logits logits(std::int64_t first, std::int64_t count) override {
    auto logits = ForwardingScorer::logits(first, count);
    std::visit(
        [this](const auto& rows) {
          for (std::int64_t row = 0; row < rows.rows; ++row)
            forbid_logit(rows.row(row), rows.maxima_of_row(row), static_cast<std::size_t>(eos_));
        },
        logits);
    return logits;
  }
  bool ranks_tokens() const override { return false; }  // so that `logits` is asked

 private:
  std::int64_t eos_;
};

}  // namespace

TranslationBenchmark benchmark_translation(const LineTranslator& translator,
                                           const SearchOptions& search,
                                           const std::vector<std::string>& lines,
                                           double load_seconds, double seconds) {
  auto result = measure(lines.size(), seconds, [&] {
    std::int64_t tokens = 0;
    for (const auto& translation : translator.translate(lines)) {
      const auto& best = translation.n_best.front();
      if (!best.pieces.empty()) tokens += std::ssize(best.pieces) + (best.truncated ? 0 : 1);
    }
    return tokens;
  });
  result.load_seconds = load_seconds;
  name_search(search, result);
  return result;
}

TranslationBenchmark benchmark_random_translation(const RunOptions& options,
                                                  const std::vector<Example>& examples,
                                                  std::int64_t vocab_size, double seconds) {
  torch::manual_seed(static_cast<std::uint64_t>(options.seed));
  const InferenceModels models = {inference_model(
      Transformer(options.model, VocabularySizes{.source = vocab_size, .target = vocab_size}),
      options.search)};
  EnsembleWorkers workers(models, {}, worker_count(models, options.train.workers));
  std::vector<std::int64_t> lengths;
  for (const auto& example : examples) lengths.push_back(std::ssize(example.source_ids));
  const auto batches = length_batches(lengths, options.search.batch_tokens);
  const SpecialIds special;
  auto result = measure(examples.size(), seconds, [&] {
    std::vector<std::int64_t> made(batches.size());
    workers.run(std::ssize(batches), [&](const EnsembleWorker& worker, std::int64_t b) {
      std::vector<std::span<const std::int32_t>> sources;
      std::vector<std::int64_t> max_lengths;
      for (const auto i : batches[static_cast<std::size_t>(b)]) {
        sources.emplace_back(examples[i].source_ids);
        max_lengths.push_back(std::ssize(examples[i].target_ids));
        made[static_cast<std::size_t>(b)] += max_lengths.back();
      }
      EndlessScorer scorer(start_scorer(worker, sources, options.search), special.eos);
      beam_search(scorer, {.max_lengths = max_lengths, .special = special}, options.search);
    });
    std::int64_t sum = 0;
    for (const auto part : made) sum += part;
    return sum;
  });
  result.beam_size = options.search.beam_size;
  result.search = concat("beam ", result.beam_size);
  return result;
}

std::string TranslationBenchmark::text() const {
  return concat("sentences/s       ", decimal(sentences_per_second, 1), " (", search, ")\n",
                "target tokens/s   ", decimal(target_tokens_per_second, 0), '\n',
                "peak memory       ", peak_memory_mb, " MiB\n", "load              ",
                decimal(load_seconds, 3), " s\n", "measured          ", sentences, " sentences, ",
                passes, " passes in ", decimal(seconds, 1), " s\n");
}

nlohmann::json TranslationBenchmark::json() const {
  return {{"sentences_per_second", sentences_per_second},
          {"target_tokens_per_second", target_tokens_per_second},
          {"peak_memory_mb", peak_memory_mb},
          {"load_seconds", load_seconds},
          {"beam_size", beam_size},
          {"search", search},
          {"sentences", sentences},
          {"passes", passes},
          {"seconds", seconds}};
}

}  // namespace dragoman
