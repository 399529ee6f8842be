#pragma once

#include "dragoman/search/model_scorers.h"

#include <memory>
#include <span>
#include <vector>

namespace dragoman {

/// The logarithm of the mean of several models' probabilities.
/// \param logits of each model, [..., vocab_size], all of one shape; at least one
/// \return the same shape, in the logits' type, but float32 for types of half precision
at::Tensor mean_log_probs(std::span<const at::Tensor> logits);

/// Several models with one vocabulary asked as one: `mean_log_probs` of what they say. Its coverage
/// is the mean of theirs.
class EnsembleScorer : public NextTokenScorer {
 public:
  /// \param members fresh, of the same sentences; at least one
  explicit EnsembleScorer(std::vector<std::unique_ptr<NextTokenScorer>> members);

  void advance(std::span<const std::int64_t> tokens) override;
  at::Tensor logits(std::int64_t first, std::int64_t count) override;
  std::int64_t rows_at_once() const override;
  std::vector<double> coverage() override;
  void select_rows(std::span<const std::int64_t> rows) override;
  void select_sentences(std::span<const std::int64_t> sentences) override;

 private:
  std::vector<std::unique_ptr<NextTokenScorer>> members_;
};

/// A scorer of one model, or of several as an ensemble.
std::unique_ptr<NextTokenScorer> make_scorer(std::span<const Transformer> models,
                                             const SourceBatch& source,
                                             const ScorerOptions& options = {});

}  // namespace dragoman
