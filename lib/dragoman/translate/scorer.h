#pragma once

#include "dragoman/corpus/parallel_text.h"
#include "dragoman/data/buckets.h"
#include "dragoman/text/lines.h"
#include "dragoman/text/tokenizer.h"
#include "dragoman/translate/pair_score.h"
#include "dragoman/translate/translation.h"
#include "dragoman/translate/workers.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace dragoman {

/// How pairs are scored, which does not change the scores.
struct PairScoringOptions {
  std::int64_t batch_tokens = 0;  ///< padded positions of one batch; 0 = 4,096, or 16,384 on a GPU
  std::int64_t workers =
      0;  ///< threads, each with batches of its own; 0 = one per core, on a GPU 2
};

/// Scores pairs by teacher forcing, in batches of similar length. A blank side counts as no pieces,
/// EOS alone.
class PairScorer {
 public:
  /// \param models at least one; several are an ensemble: the mean of their probabilities for each
  ///     piece
  /// \param vocabulary must outlive this object
  PairScorer(const InferenceModels& models, const Vocabulary& vocabulary,
             const PairScoringOptions& options = {});

  /// Another one of the same models, with the same threads.
  /// \param vocabulary of the same models; its languages may be others. It must outlive this
  ///     object.
  PairScorer(const PairScorer& other, const Vocabulary& vocabulary);

  /// Why the models cannot read a pair; empty if they can. Lines with fewer bytes than a model
  /// reads pieces are not split, and count as readable.
  std::string fault_of(const LinePair& pair) const;

  /// May be called by several threads at once. \return one score for each pair, in order
  /// \throws Cancelled soon after `stop` asks for it
  std::vector<PairScore> score(std::span<const LinePair> pairs, const std::stop_token& stop = {});

  /// The same, of pairs that can all be scored.
  /// \throws also LineError naming the first that is too long for the model, before any is scored
  std::vector<PairScore> score_all(std::span<const LinePair> pairs,
                                   const std::stop_token& stop = {});

 private:
  struct EncodedPairs;

  void score_encoded(const EncodedPairs& encoded, std::vector<PairScore>& scores,
                     const std::stop_token& stop);
  EncodedPairs encode(std::span<const LinePair> pairs, std::vector<PairScore>& scores,
                      const std::stop_token& stop);
  void score_batch(const EnsembleWorker& worker, const BatchIndices& batch,
                   const EncodedPairs& encoded, std::vector<PairScore>& scores,
                   const std::stop_token& stop) const;

  /// The same. \param source_len,target_len pieces, EOS included
  std::string fault_of(std::int64_t source_len, std::int64_t target_len) const;

  /// Once.
  void warn_of_long_pair(std::span<const PairScore> scores, std::span<const std::int64_t> lengths);

  const Vocabulary& vocabulary_;
  PairScoringOptions options_;
  std::shared_ptr<EnsembleWorkers> workers_;
  std::int64_t longest_source_, longest_target_;  ///< pieces, EOS included
  std::shared_ptr<std::atomic<bool>> warned_ = std::make_shared<std::atomic<bool>>(false);
};

/// Scores a text in order, in memory that does not grow with it, while it is read and the scores
/// before are taken. \param take called with each pair and its score
/// \throws as `ParallelText`, after the pairs before the fault are taken
void score_parallel_text(ParallelText& text, PairScorer& scorer,
                         const std::function<void(const LinePair&, const PairScore&)>& take);

/// Scores pairs in memory. \throws as `PairScorer::score_all`
std::vector<PairScore> score_pairs(const InferenceModels& models, const Vocabulary& vocabulary,
                                   std::span<const LinePair> pairs,
                                   const PairScoringOptions& options = {});

}  // namespace dragoman
