#include "dragoman/translate/scorer.h"

#include "dragoman/core/chunks_in_work.h"
#include "dragoman/core/error.h"
#include "dragoman/core/log.h"
#include "dragoman/data/buckets.h"
#include "dragoman/translate/source_line.h"
#include "dragoman/translate/workers.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <utility>

namespace dragoman {

namespace {

using Ids = std::vector<std::int32_t>;

/// Pieces of a side, EOS included: attention to so many takes minutes.
constexpr std::int64_t longest_scored = 32768;

Ids ids_of(const std::string& text, const Tokenizer& tokenizer) {
  auto ids = tokenizer.encode(text);
  ids.push_back(static_cast<std::int32_t>(tokenizer.special().eos));
  return ids;
}

/// The logarithm of the mean of what all models' values are the logarithms of.
double log_mean_exp(std::span<const std::vector<std::vector<float>>> models, std::size_t pair,
                    std::size_t token) {
  double largest = models.front()[pair][token];
  for (const auto& model : models)
    largest = std::max(largest, static_cast<double>(model[pair][token]));
  double sum = 0.0;
  for (const auto& model : models)
    sum += std::exp(static_cast<double>(model[pair][token]) - largest);
  return largest + std::log(sum / static_cast<double>(models.size()));
}

/// Enough pairs for batches of similar length; fewer before the end or a fault of the text.
std::vector<LinePair> next_pairs(ParallelText& text, std::exception_ptr& fault) {
  constexpr std::size_t most_pairs = 2000, most_bytes = std::size_t{16} << 20;
  std::vector<LinePair> pairs;
  std::size_t bytes = 0;
  try {
    while (pairs.size() < most_pairs && bytes < most_bytes) {
      auto pair = text.next();
      if (!pair) break;
      bytes += pair->source.size() + pair->target.size();
      pairs.push_back(std::move(*pair));
    }
  } catch (...) {
    fault = std::current_exception();
  }
  return pairs;
}

}  // namespace

PairScorer::PairScorer(const InferenceModels& models, const Vocabulary& vocabulary,
                       const PairScoringOptions& options)
    : vocabulary_(vocabulary),
      options_(options),
      workers_(models,
               {.source = vocabulary.source.special(), .target = vocabulary.target.special()},
               worker_count(models, options.workers)) {
  longest_source_ = longest_target_ = longest_scored;
  for (const auto& model : models) {
    longest_source_ = std::min(longest_source_, model->options().longest_source());
    longest_target_ = std::min(longest_target_, model->options().longest_sequence());
  }
  if (options_.batch_tokens == 0)
    options_.batch_tokens = models.front()->is_on_cpu() ? 4096 : 16384;
}

std::string PairScorer::fault_of(std::int64_t source_len, std::int64_t target_len) const {
  const auto fault = [](const char* side, std::int64_t len, std::int64_t longest) {
    return concat(
        "the ", side, " has ", len, " pieces with its end, but ",
        longest == longest_scored ? "time and memory are limited to " : "the model can read only ",
        longest, "; shorten it");
  };
  if (source_len > longest_source_) return fault("source", source_len, longest_source_);
  if (target_len > longest_target_) return fault("target", target_len, longest_target_);
  return {};
}

std::vector<PairScore> PairScorer::score(std::span<const LinePair> pairs,
                                         const std::stop_token& stop) {
  std::vector<Ids> sources(pairs.size()), targets(pairs.size());
  std::vector<std::int64_t> lengths(pairs.size());
  std::vector<PairScore> scores(pairs.size());
  constexpr std::int64_t chunk = 64;
  const auto encode = [&](const EnsembleWorker&, std::int64_t c) {
    expect_no_stop(stop);
    const auto end = static_cast<std::size_t>(std::min((c + 1) * chunk, std::ssize(pairs)));
    for (auto i = static_cast<std::size_t>(c * chunk); i < end; ++i) {
      sources[i] = vocabulary_.source.encode(pairs[i].source);
      vocabulary_.source.end_source(sources[i]);
      targets[i] = ids_of(pairs[i].target, vocabulary_.target);
      lengths[i] = std::max(std::ssize(sources[i]), std::ssize(targets[i]));
      scores[i].unknown_source = first_unknown(pairs[i].source, sources[i], vocabulary_.source);
      scores[i].unknown_target = first_unknown(pairs[i].target, targets[i], vocabulary_.target);
      scores[i].fault = fault_of(std::ssize(sources[i]), std::ssize(targets[i]));
    }
  };
  workers_.run((std::ssize(pairs) + chunk - 1) / chunk, encode, stop);
  warn_of_long_pair(pairs, scores, lengths);
  auto batches = length_batches(lengths, options_.batch_tokens);
  for (auto& batch : batches)
    std::erase_if(batch, [&](std::size_t i) { return !scores[i].fault.empty(); });
  std::erase_if(batches, [](const auto& batch) { return batch.empty(); });
  const auto given = vocabulary_.target.prefix().size();
  const auto score_batch = [&](const EnsembleWorker& worker, std::int64_t b) {
    const auto& batch = batches[static_cast<std::size_t>(b)];
    std::vector<std::span<const std::int32_t>> batch_sources, batch_targets;
    for (const auto i : batch) {
      batch_sources.emplace_back(sources[i]);
      batch_targets.emplace_back(targets[i]);
    }
    std::vector<std::vector<std::vector<float>>> of_models;
    MostProbable most_probable;
    for (const auto& model : worker)
      of_models.push_back(model->log_probs(batch_sources, batch_targets,
                                           worker.size() == 1 ? &most_probable : nullptr, stop));
    for (std::size_t k = 0; k < batch.size(); ++k) {
      auto& score = scores[batch[k]];
      if (!most_probable.empty())
        score.most_probable.assign(most_probable[k].begin() + static_cast<std::ptrdiff_t>(given),
                                   most_probable[k].end());
      for (auto t = given; t < batch_targets[k].size(); ++t) {
        score.pieces.push_back(vocabulary_.target.piece(batch_targets[k][t]));
        score.piece_log_probs.push_back(log_mean_exp(of_models, k, t));
        score.log_prob += score.piece_log_probs.back();
      }
    }
  };
  workers_.run(std::ssize(batches), score_batch, stop);
  return scores;
}

void PairScorer::warn_of_long_pair(std::span<const LinePair> pairs,
                                   std::span<const PairScore> scores,
                                   std::span<const std::int64_t> lengths) {
  constexpr std::int64_t slow = 4096;
  for (std::size_t i = 0; i < pairs.size() && !warned_; ++i)
    if (lengths[i] > slow && scores[i].fault.empty() && !warned_.exchange(true))
      log_warning(concat("a pair of ", lengths[i],
                         " pieces on a side takes long to score, as the time grows with the square "
                         "of its length: ",
                         printable(pairs[i].source, 60)));
}

namespace {

/// Whatever is in work when it is destroyed is asked to stop.
struct StopAtEnd {
  std::stop_source source = {};
  ~StopAtEnd() { source.request_stop(); }
};

}  // namespace

void score_parallel_text(ParallelText& text, PairScorer& scorer,
                         const std::function<void(const LinePair&, const PairScore&)>& take) {
  ChunksInWork<std::vector<LinePair>, std::vector<PairScore>> in_work;
  const StopAtEnd stop;
  std::exception_ptr fault;
  for (bool ended = false;;) {
    while (!ended && in_work.has_room()) {
      auto pairs = next_pairs(text, fault);
      ended = fault != nullptr || pairs.empty();
      if (!pairs.empty())
        in_work.start(std::move(pairs), [&](const auto& some) {
          return scorer.score(some, stop.source.get_token());
        });
    }
    if (in_work.empty()) break;
    const auto [pairs, scores] = in_work.take_first();
    for (std::size_t i = 0; i < pairs.size(); ++i) take(pairs[i], scores[i]);
  }
  if (fault) std::rethrow_exception(fault);
}

void expect_no_fault(std::span<const PairScore> scores) {
  for (std::size_t i = 0; i < scores.size(); ++i)
    if (!scores[i].fault.empty())
      throw DataError(concat("score: pair ", i + 1, ": ", scores[i].fault));
}

std::vector<PairScore> score_pairs(const InferenceModels& models, const Vocabulary& vocabulary,
                                   std::span<const LinePair> pairs,
                                   const PairScoringOptions& options) {
  auto scores = PairScorer(models, vocabulary, options).score(pairs);
  expect_no_fault(scores);
  return scores;
}

}  // namespace dragoman
