#pragma once

#include "dragoman/train/data_parallel.h"
#include "dragoman/train/records.h"
#include "dragoman/train/training_data.h"

#include <string>
#include <vector>

namespace dragoman {

/// Measures the model on held-out text: by teacher forcing, and by its own translations.
class Validation {
 public:
  /// \param data must outlive this object; `data.valid` may be empty (then nothing is measured)
  Validation(const TrainingData& data, const RunOptions& options, std::int64_t workers);

  bool empty() const { return batches_.empty(); }

  /// Values by metric's name: loss and nll (nats per token), perplexity, accuracy (share of target
  /// tokens, 0 to 1) and, with `train.validate_translations`, bleu and chrf of beam output (0-100).
  /// Two of those translations are the samples, the same sentences each time.
  /// \param group shares the work; all ranks get the same
  ValidationResult measure(DataParallel& replicas, Communicator& group) const;

 private:
  /// Translations of the first sentences, as many as are requested.
  std::vector<std::string> translate(DataParallel& replicas, Communicator& group) const;
  std::vector<SampleTranslation> samples_of(const std::vector<std::string>& hypotheses) const;

  const TrainingData& data_;
  RunOptions options_;
  std::int64_t workers_;
  std::vector<Batch> batches_;
};

}  // namespace dragoman
