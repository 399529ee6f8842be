#include "dragoman/translate/scorer.h"

#include "dragoman/core/chunks_in_work.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/log.h"
#include "dragoman/core/stop.h"
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
      workers_(
          std::make_shared<EnsembleWorkers>(models,
                                            InferenceOptions{.source = vocabulary.source.special(),
                                                             .target = vocabulary.target.special()},
                                            worker_count(models, options.workers))) {
  longest_source_ = longest_target_ = longest_scored;
  for (const auto& model : models) {
    longest_source_ = std::min(longest_source_, model->options().longest_source());
    longest_target_ = std::min(longest_target_, model->options().longest_sequence());
  }
  if (options_.batch_tokens == 0)
    options_.batch_tokens = models.front()->is_on_cpu() ? 4096 : 16384;
}

PairScorer::PairScorer(const PairScorer& other, const Vocabulary& vocabulary)
    : vocabulary_(vocabulary),
      options_(other.options_),
      workers_(other.workers_),
      longest_source_(other.longest_source_),
      longest_target_(other.longest_target_),
      warned_(other.warned_) {}

std::string PairScorer::fault_of(const LinePair& pair) const {
  // A piece has a byte at least, except of a text that grows when it is normalised.
  const auto is_short = [](const std::string& line, std::int64_t longest) {
    return std::ssize(line) < longest - 8;  // with languages and EOS
  };
  if (is_short(pair.source, longest_source_) && is_short(pair.target, longest_target_)) return {};
  auto source = vocabulary_.source.encode(pair.source);
  vocabulary_.source.end_source(source);
  return fault_of(std::ssize(source), std::ssize(ids_of(pair.target, vocabulary_.target)));
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

struct PairScorer::EncodedPairs {
  std::vector<Ids> sources, targets;
  std::vector<std::int64_t> lengths;  ///< of the longer side
};

/// Notes in `scores` what is known before a model has read the pairs.
PairScorer::EncodedPairs PairScorer::encode(std::span<const LinePair> pairs,
                                            std::vector<PairScore>& scores,
                                            const std::stop_token& stop) {
  const auto count = pairs.size();
  EncodedPairs encoded{.sources = std::vector<Ids>(count),
                       .targets = std::vector<Ids>(count),
                       .lengths = std::vector<std::int64_t>(count)};
  const auto encode_chunk = [&](const EnsembleWorker&, std::size_t first, std::size_t last) {
    expect_no_stop(stop);
    for (auto i = first; i < last; ++i) {
      auto& source = encoded.sources[i] = vocabulary_.source.encode(pairs[i].source);
      vocabulary_.source.end_source(source);
      const auto& target = encoded.targets[i] = ids_of(pairs[i].target, vocabulary_.target);
      encoded.lengths[i] = std::max(std::ssize(source), std::ssize(target));
      scores[i].unknown_source = first_unknown(pairs[i].source, source, vocabulary_.source);
      scores[i].unknown_target = first_unknown(pairs[i].target, target, vocabulary_.target);
      scores[i].fault = fault_of(std::ssize(source), std::ssize(target));
    }
  };
  workers_->run_in_chunks(std::ssize(pairs), 64, encode_chunk, stop);
  return encoded;
}

void PairScorer::score_batch(const EnsembleWorker& worker, const BatchIndices& batch,
                             const EncodedPairs& encoded, std::vector<PairScore>& scores,
                             const std::stop_token& stop) const {
  std::vector<std::span<const std::int32_t>> sources, targets;
  for (const auto i : batch) {
    sources.emplace_back(encoded.sources[i]);
    targets.emplace_back(encoded.targets[i]);
  }
  std::vector<std::vector<std::vector<float>>> of_models;
  MostProbable most_probable;
  for (const auto& model : worker)
    of_models.push_back(
        model->log_probs(sources, targets, worker.size() == 1 ? &most_probable : nullptr, stop));
  const auto given = vocabulary_.target.prefix().size();
  for (std::size_t k = 0; k < batch.size(); ++k) {
    auto& score = scores[batch[k]];
    if (!most_probable.empty())
      score.most_probable.assign(most_probable[k].begin() + static_cast<std::ptrdiff_t>(given),
                                 most_probable[k].end());
    for (auto t = given; t < targets[k].size(); ++t) {
      score.pieces.push_back(vocabulary_.target.piece(targets[k][t]));
      score.piece_log_probs.push_back(log_mean_exp(of_models, k, t));
      score.log_prob += score.piece_log_probs.back();
    }
  }
}

std::vector<PairScore> PairScorer::score(std::span<const LinePair> pairs,
                                         const std::stop_token& stop) {
  std::vector<PairScore> scores(pairs.size());
  score_encoded(encode(pairs, scores, stop), scores, stop);
  return scores;
}

std::vector<PairScore> PairScorer::score_all(std::span<const LinePair> pairs,
                                             const std::stop_token& stop) {
  std::vector<PairScore> scores(pairs.size());
  const auto encoded = encode(pairs, scores, stop);
  for (std::size_t i = 0; i < scores.size(); ++i)
    if (!scores[i].fault.empty())
      throw LineError(static_cast<std::int64_t>(i),
                      concat("score: pair ", i + 1, ": ", scores[i].fault));
  score_encoded(encoded, scores, stop);
  return scores;
}

/// \param scores those without a fault get their values
void PairScorer::score_encoded(const EncodedPairs& encoded, std::vector<PairScore>& scores,
                               const std::stop_token& stop) {
  warn_of_long_pair(scores, encoded.lengths);
  auto batches = length_batches(encoded.lengths, options_.batch_tokens);
  for (auto& batch : batches)
    std::erase_if(batch, [&](std::size_t i) { return !scores[i].fault.empty(); });
  std::erase_if(batches, [](const auto& batch) { return batch.empty(); });
  workers_->run(
      std::ssize(batches),
      [&](const EnsembleWorker& worker, std::int64_t b) {
        score_batch(worker, batches[static_cast<std::size_t>(b)], encoded, scores, stop);
      },
      stop);
}

void PairScorer::warn_of_long_pair(std::span<const PairScore> scores,
                                   std::span<const std::int64_t> lengths) {
  constexpr std::int64_t slow = 4096;
  for (std::size_t i = 0; i < scores.size() && !*warned_; ++i)
    if (lengths[i] > slow && scores[i].fault.empty() && !warned_->exchange(true))
      log_warning(concat("a pair of ", lengths[i],
                         " pieces on a side takes long to score, as the time grows with the square "
                         "of its length"));
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
        in_work.start(std::move(pairs),
                      [&scorer, token = stop.source.get_token()](const auto& some) {
                        return scorer.score(some, token);
                      });
    }
    if (in_work.empty()) break;
    const auto [pairs, scores] = in_work.take_first();
    for (std::size_t i = 0; i < pairs.size(); ++i) take(pairs[i], scores[i]);
  }
  if (fault) std::rethrow_exception(fault);
}

std::vector<PairScore> score_pairs(const InferenceModels& models, const Vocabulary& vocabulary,
                                   std::span<const LinePair> pairs,
                                   const PairScoringOptions& options) {
  return PairScorer(models, vocabulary, options).score_all(pairs);
}

}  // namespace dragoman
