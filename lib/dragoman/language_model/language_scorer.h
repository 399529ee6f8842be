#pragma once

#include "dragoman/model/language_model.h"
#include "dragoman/search/next_token_scorer.h"

#include <cstdint>
#include <span>

namespace dragoman {

/// A language model as a scorer for search: each text is a sentence, and the state of step-by-step
/// generation is kept between tokens.
class LanguageScorer : public NextTokenScorer {
 public:
  /// \param model on the CPU, in evaluation mode
  explicit LanguageScorer(LanguageModel model);

  void advance(std::span<const std::int64_t> tokens) override;
  Logits logits(std::int64_t first, std::int64_t count) override;
  void select_rows(std::span<const std::int64_t> rows) override;
  void select_sentences(std::span<const std::int64_t> sentences) override;

 private:
  LanguageModel model_;
  DecoderState state_;
  at::Tensor hidden_;  ///< [rows, d_model] of the latest tokens
  at::Tensor logits_;  ///< that were asked for last
};

}  // namespace dragoman
