#pragma once

#include "dragoman/metrics/tokenizers.h"
#include "dragoman/model/transformer.h"
#include "dragoman/train/training_data.h"
#include "dragoman/train/validation.h"

#include <string>
#include <vector>

namespace dragoman {

/// BLEU and chrF (0 to 100) of the model's translations of the validation text, and two of them as
/// samples, the same sentences each time. They are made as `dragoman translate` makes them, with
/// float32 weights; BLEU splits them as `train.bleu_tokenizer` says.
class ValidationTranslations {
 public:
  /// \param data must outlive this object
  ValidationTranslations(const TrainingData& data, const RunOptions& options, Transformer model);

  /// As `OutputMetrics`.
  void operator()(ValidationResult& result, const OutputContext& context) const;

 private:
  /// Of the first sentences, as many as are requested.
  std::vector<std::string> translate(const OutputContext& context) const;
  std::vector<SampleTranslation> samples_of(const std::vector<std::string>& hypotheses) const;

  const TrainingData& data_;
  RunOptions options_;
  BleuTokenizer tokenizer_;
  Transformer model_;
};

}  // namespace dragoman
