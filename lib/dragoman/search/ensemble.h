#pragma once

#include "dragoman/search/model_scorers.h"

#include <memory>
#include <span>
#include <vector>

namespace dragoman {

/// The logarithm of the mean of several models' probabilities.
/// \param logits one tensor per model, [..., vocab_size], all of the same shape; at least one
/// \return the same shape, in the logits' type, or float32 for half-precision types
at::Tensor mean_log_probs(std::span<const at::Tensor> logits);

/// Several models with the same vocabulary used as one: the `mean_log_probs` of their outputs. Its
/// coverage is the mean of theirs.
class EnsembleScorer : public NextTokenScorer {
 public:
  /// \param members fresh, for the same sentences; at least one
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
                                             const PaddedIds& source,
                                             const SearchOptions& search = {});

}  // namespace dragoman
