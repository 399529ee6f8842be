#include "dragoman/train/validation.h"

#include "dragoman/core/error.h"
#include "dragoman/train/stop_signal.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace dragoman {

Validation::Validation(std::vector<Batch> batches, OutputMetrics output)
    : batches_(std::move(batches)), output_(std::move(output)) {}

std::optional<ValidationResult> Validation::measure(DataParallel& workers,
                                                    Communicator& group) const {
  const auto sums = workers.evaluate(batches_, [] { return StopSignal::received() != 0; });
  if (!sums) return std::nullopt;
  const auto tokens = static_cast<double>(sums->tokens);
  ValidationResult result{.values = {{"loss", sums->loss / tokens},
                                     {"nll", sums->nll / tokens},
                                     {"perplexity", std::exp(sums->nll / tokens)},
                                     {"accuracy", static_cast<double>(sums->correct) / tokens}}};
  if (!output_) return result;
  const StopOnSignal stop;
  try {
    output_(result, {.group = group,
                     .workers = workers.pool().size() * workers.pool().threads(),
                     .stop = stop.token()});
  } catch (const Cancelled&) {
    return std::nullopt;
  }
  return result;
}

std::vector<Batch> validation_batches(const std::vector<Example>& examples,
                                      const RunOptions& options, const SpecialIds& source_special,
                                      const SpecialIds& target_special) {
  const auto tokens = std::max(options.train.batch_tokens, options.data.max_length + 1);
  return validation_batches(examples, tokens, source_special, target_special);
}

std::vector<Batch> validation_batches(const std::vector<Example>& examples,
                                      std::int64_t batch_tokens, const SpecialIds& source_special,
                                      const SpecialIds& target_special) {
  std::vector<Batch> batches;
  if (examples.empty()) return batches;
  for (const auto& indices : plan_batches(examples, {.tokens = batch_tokens}, 0))
    batches.push_back(make_batch(examples, indices, source_special, target_special));
  return batches;
}

}  // namespace dragoman
