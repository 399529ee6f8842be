#include "dragoman/translate/scorer.h"

#include "dragoman/core/error.h"
#include "dragoman/data/buckets.h"
#include "dragoman/translate/workers.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace dragoman {

namespace {

using Ids = std::vector<std::int32_t>;

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

}  // namespace

PairScorer::PairScorer(const InferenceModels& models, const Vocabulary& vocabulary,
                       const PairScoringOptions& options)
    : vocabulary_(vocabulary),
      options_(options),
      workers_(models,
               {.source = vocabulary.source.special(), .target = vocabulary.target.special()},
               worker_count(models, options.workers)) {
  if (options_.batch_tokens == 0)
    options_.batch_tokens = models.front()->is_on_cpu() ? 4096 : 16384;
}

std::vector<PairScore> PairScorer::score(std::span<const LinePair> pairs) {
  std::vector<Ids> sources, targets;
  std::vector<std::int64_t> lengths;
  for (const auto& pair : pairs) {
    expect_no_stop(options_.stop);
    sources.push_back(vocabulary_.source.encode(pair.source));
    vocabulary_.source.end_source(sources.back());
    targets.push_back(ids_of(pair.target, vocabulary_.target));
    lengths.push_back(std::max(std::ssize(sources.back()), std::ssize(targets.back())));
  }
  const auto batches = length_batches(lengths, options_.batch_tokens);
  std::vector<PairScore> scores(pairs.size());
  workers_.run(std::ssize(batches), [&](const EnsembleWorker& worker, std::int64_t b) {
    expect_no_stop(options_.stop);
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
                                           worker.size() == 1 ? &most_probable : nullptr));
    for (std::size_t k = 0; k < batch.size(); ++k) {
      auto& score = scores[batch[k]];
      if (!most_probable.empty()) score.most_probable = std::move(most_probable[k]);
      for (std::size_t t = 0; t < batch_targets[k].size(); ++t) {
        score.pieces.push_back(vocabulary_.target.piece(batch_targets[k][t]));
        score.piece_log_probs.push_back(log_mean_exp(of_models, k, t));
        score.log_prob += score.piece_log_probs.back();
      }
    }
  });
  return scores;
}

std::vector<PairScore> score_pairs(const InferenceModels& models, const Vocabulary& vocabulary,
                                   std::span<const LinePair> pairs,
                                   const PairScoringOptions& options) {
  return PairScorer(models, vocabulary, options).score(pairs);
}

}  // namespace dragoman
