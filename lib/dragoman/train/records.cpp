#include "dragoman/train/records.h"

#include <algorithm>
#include <cmath>

namespace dragoman {

WindowMeans means_of(const Window& w) {
  const auto tokens = static_cast<double>(std::max<std::int64_t>(w.loss.tokens, 1));
  const auto positions = static_cast<double>(w.loss.tokens + w.source_tokens + w.padding);
  return {.loss = w.loss.loss / tokens,
          .nll = w.loss.nll / tokens,
          .consistency = w.loss.consistency / tokens,
          .accuracy = static_cast<double>(w.loss.correct) / tokens,
          .padding = static_cast<double>(w.padding) / std::max(positions, 1.0),
          .tokens_per_second = tokens / std::max(w.seconds, 1e-9)};
}

nlohmann::json window_record(const TrainingState& state, const UpdateStatus& status) {
  const auto means = means_of(state.window);
  nlohmann::json record{{"event", "train"},
                        {"step", state.step},
                        {"epoch", status.epoch},
                        {"loss", means.loss},
                        {"nll", means.nll},
                        {"perplexity", std::exp(means.nll)},
                        {"accuracy", means.accuracy},
                        {"learning_rate", status.learning_rate},
                        {"gradient_norm", status.gradient_norm},
                        {"padding", means.padding},
                        {"target_tokens", state.target_tokens},
                        {"skipped", state.skipped},
                        {"target_tokens_per_second", means.tokens_per_second},
                        {"seconds", status.seconds}};
  if (means.consistency != 0.0) {
    record["smoothed_loss"] = means.loss - means.consistency;
    record["consistency"] = means.consistency;
  }
  return record;
}

nlohmann::json validation_record(std::int64_t step, const MetricValues& values, bool is_due) {
  nlohmann::json record{{"event", "validation"}, {"step", step}};
  if (!is_due) record["at_limit"] = true;
  for (const auto& [name, value] : values) record[name] = value;
  return record;
}

}  // namespace dragoman
