#include "dragoman/translate/translation_search.h"

#include "dragoman/core/error.h"
#include "dragoman/core/stop.h"
#include "dragoman/search/forwarding_scorer.h"
#include "dragoman/search/search.h"
#include "dragoman/translate/search_batches.h"
#include "dragoman/translate/translation_alignment.h"
#include "dragoman/translate/translation_text.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <set>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace dragoman {

namespace {

using Parts = std::span<TranslationPart* const>;

/// Throws Cancelled before the next token once `stop` asks for it.
class CancellableScorer : public ForwardingScorer {
 public:
  CancellableScorer(std::unique_ptr<NextTokenScorer> scorer, std::stop_token stop)
      : ForwardingScorer(std::move(scorer)), stop_(std::move(stop)) {}

  void advance(std::span<const std::int64_t> tokens) override {
    expect_no_stop(stop_);
    ForwardingScorer::advance(tokens);
  }

 private:
  std::stop_token stop_;
};

/// Rows that the search of one sentence has in the batch.
std::int64_t hypotheses_per_sentence(const SearchOptions& search) {
  return search.sample ? search.n_best : search.greedy ? 1 : search.beam_size;
}

/// What the search of one sentence takes where memory needs a bound; 0 elsewhere.
double bytes_per_sentence(const TranslationTask& task) {
  double bytes = 0.0;
  for (const auto& model : task.models) bytes += model->bytes_per_hypothesis();
  return bytes * static_cast<double>(hypotheses_per_sentence(task.search));
}

std::vector<BatchIndices> batches_of(const TranslationTask& task, Parts parts) {
  std::vector<SearchLengths> lengths;
  std::int64_t all = 0;
  for (const auto* part : parts) {
    lengths.push_back({.source = std::ssize(part->source), .prefix = std::ssize(part->prefix)});
    all += lengths.back().source;
  }
  // Few sentences, too, are divided among all workers. `batch_tokens` is meant for a beam of 4:
  // with more hypotheses, a batch has fewer sentences. For a beam on a GPU, `least_positions` alone
  // sees to it.
  const bool scales = task.search.sample || task.models.front()->is_on_cpu();
  const auto positions =
      task.search.batch_tokens * 4 /
      std::max<std::int64_t>(4, scales ? hypotheses_per_sentence(task.search) : 1);
  const auto max_positions = std::min(positions, all / task.options.workers + 1);
  const auto least = least_positions(bytes_per_sentence(task), max_positions);
  for (auto& length : lengths) length.source = std::max(length.source, least);
  return search_batches(lengths, max_positions);
}

/// Keeps the best of the hypotheses that have the same text in different pieces; further ones of
/// the search, if there are any, move up. The text of one whose unknown pieces are to be copied is
/// not known before alignment: if there is one, more are kept than wanted, among which
/// `keep_distinct_copies` chooses.
void keep_distinct(const TranslationTask& task, std::vector<Hypothesis>& found) {
  if (!task.wants_distinct_texts()) return;
  const bool copies = std::ranges::any_of(
      found, [&task](const Hypothesis& hypothesis) { return task.copies_unknown(hypothesis); });
  const auto most = copies ? std::ssize(found) : task.kept_candidates();
  std::set<std::string> seen;
  std::vector<Hypothesis> kept;
  for (auto& hypothesis : found) {
    if (std::ssize(kept) == most) break;
    if (task.copies_unknown(hypothesis) || seen.insert(text_of(task, hypothesis)).second)
      kept.push_back(std::move(hypothesis));
  }
  found = std::move(kept);
}

/// Keeps the best of the hypotheses whose texts are equal once unknown pieces are copied, and no
/// more than are wanted.
void keep_distinct_copies(const TranslationTask& task, TranslationPart& part) {
  if (task.search.unknown != UnknownRule::copy || !task.wants_distinct_texts()) return;
  const auto most = static_cast<std::size_t>(task.kept_candidates());
  std::set<std::string> seen;
  std::size_t kept = 0;
  for (std::size_t rank = 0; rank < part.n_best.size() && kept < most; ++rank) {
    if (!seen.insert(text_of(task, part, rank)).second) continue;
    if (kept != rank) {
      part.n_best[kept] = std::move(part.n_best[rank]);
      part.alignments[kept] = std::move(part.alignments[rank]);
    }
    ++kept;
  }
  part.n_best.resize(kept);
  part.alignments.resize(kept);
}

std::vector<std::vector<Hypothesis>> find_hypotheses(const TranslationTask& task,
                                                     const EnsembleWorker& worker, Parts batch) {
  std::vector<std::span<const std::int32_t>> sources;
  std::vector<std::vector<std::int32_t>> prefixes;
  std::vector<std::int64_t> max_lengths;
  std::vector<std::uint64_t> streams;
  for (const auto* part : batch) {
    sources.emplace_back(part->source);
    if (!task.context.prefixes.empty() || !part->prefix.empty()) prefixes.push_back(part->prefix);
    max_lengths.push_back(task.max_target_length(*part));
    streams.push_back(part->stream);
  }
  auto options = task.search;
  options.n_best = task.kept_candidates();
  const auto& stop = task.context.stop;
  CancellableScorer scorer(start_scorer(worker, sources, options, prefixes, stop), stop);
  const auto& target = task.vocabulary.target;
  return run_search(scorer,
                    {.max_lengths = max_lengths,
                     .prefixes = prefixes,
                     .free_tokens = std::ssize(target.prefix()),
                     .streams = streams,
                     .special = target.special(),
                     .returned = task.wants_distinct_texts() ? Returned::all : Returned::n_best},
                    options);
}

/// The memory of the search is free again when alignment begins.
void search_batch(const TranslationTask& task, const EnsembleWorker& worker, Parts batch) {
  expect_no_stop(task.context.stop);
  auto found = find_hypotheses(task, worker, batch);
  for (std::size_t k = 0; k < batch.size(); ++k) {
    keep_distinct(task, found[k]);
    batch[k]->n_best = std::move(found[k]);
  }
  align_found(task, worker, batch);
  for (auto* part : batch) keep_distinct_copies(task, *part);
}

}  // namespace

void search_parts(const TranslationTask& task, std::span<TranslationPart* const> parts) {
  const auto batches = batches_of(task, parts);
  std::atomic<std::int64_t> parts_done = 0;
  const auto search = [&](const EnsembleWorker& worker, std::int64_t i) {
    std::vector<TranslationPart*> batch;
    for (const auto k : batches[static_cast<std::size_t>(i)]) batch.push_back(parts[k]);
    search_batch(task, worker, batch);
    parts_done += std::ssize(batch);
  };
  EnsembleWorkers::Tell tell;
  // A batch may be counted by its thread before the call is told of it.
  if (task.context.progress)
    tell = [&, told = std::int64_t{0}]() mutable {
      const std::int64_t done = parts_done;
      if (done > std::exchange(told, done)) task.context.progress(done, std::ssize(parts));
    };
  task.workers.run(std::ssize(batches), search, task.context.stop, tell);
}

}  // namespace dragoman
