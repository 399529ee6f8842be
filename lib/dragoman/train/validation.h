#pragma once

#include "dragoman/config/run_options.h"
#include "dragoman/train/data_parallel.h"
#include "dragoman/train/records.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <vector>

namespace dragoman {

/// With whom, and until when, the metrics of a model's own output are measured.
struct OutputContext {
  Communicator& group;       ///< shares the work
  std::int64_t workers = 1;  ///< threads of this process that translate on a CPU
  std::stop_token stop = {};
};

/// Adds metrics of the model's own output, the same on all ranks.
/// \throws Cancelled on all ranks if any of them is asked to stop
using OutputMetrics = std::function<void(ValidationResult&, const OutputContext&)>;

/// Measures a model on held-out data: by teacher forcing and, if it has any, by its own output.
class Validation {
 public:
  /// \param batches may be empty (then nothing is measured)
  explicit Validation(std::vector<Batch> batches, OutputMetrics output = {});

  bool empty() const { return batches_.empty(); }

  /// Values by metric's name: loss and nll (nats per token), perplexity, accuracy (share of target
  /// tokens, 0 to 1), and those of the output.
  /// \param group shares the work; all ranks get the same
  /// \return none if a signal asks to stop (see StopSignal)
  std::optional<ValidationResult> measure(DataParallel& workers, Communicator& group) const;

 private:
  std::vector<Batch> batches_;
  OutputMetrics output_;
};

/// Batches for a validation, of examples that fit into memory: as large as those for training, but
/// large enough for any pair of `data.max_length` pieces and EOS.
std::vector<Batch> validation_batches(const std::vector<Example>& examples,
                                      const RunOptions& options, const SpecialIds& source_special,
                                      const SpecialIds& target_special);

/// The same, of at most `batch_tokens` padded positions of the longer side each.
std::vector<Batch> validation_batches(const std::vector<Example>& examples,
                                      std::int64_t batch_tokens, const SpecialIds& source_special,
                                      const SpecialIds& target_special);

}  // namespace dragoman
