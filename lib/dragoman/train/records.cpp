#include "dragoman/train/records.h"

#include "dragoman/core/error.h"
#include "dragoman/train/train_log.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace dragoman {

namespace {

/// The means over a window.
struct Means {
  double loss, nll, accuracy, padding, tokens_per_second;
};

Means means_of(const Window& w, double seconds) {
  const auto tokens = static_cast<double>(std::max<std::int64_t>(w.tokens, 1));
  const auto cells = static_cast<double>(w.tokens + w.source_tokens + w.padding);
  return {.loss = w.loss / tokens,
          .nll = w.nll / tokens,
          .accuracy = static_cast<double>(w.correct) / tokens,
          .padding = static_cast<double>(w.padding) / std::max(cells, 1.0),
          .tokens_per_second = tokens / std::max(seconds, 1e-9)};
}

}  // namespace

nlohmann::json window_record(const TrainingState& state, const Moment& moment) {
  const auto means = means_of(state.window, moment.window_seconds);
  return {{"event", "train"},
          {"step", state.step},
          {"epoch", moment.epoch},
          {"loss", means.loss},
          {"nll", means.nll},
          {"perplexity", std::exp(means.nll)},
          {"accuracy", means.accuracy},
          {"learning_rate", moment.learning_rate},
          {"gradient_norm", moment.gradient_norm},
          {"padding", means.padding},
          {"target_tokens", state.target_tokens},
          {"skipped", state.skipped},
          {"target_tokens_per_second", means.tokens_per_second},
          {"seconds", moment.seconds}};
}

std::string window_line(const TrainingState& state, const Moment& moment) {
  const auto means = means_of(state.window, moment.window_seconds);
  return concat("epoch ", moment.epoch, " step ", state.step, " loss ", rounded(means.loss, 4),
                " perplexity ", rounded(std::exp(means.nll), 2), " target tokens/s ",
                rounded(means.tokens_per_second, 0), " rate ", moment.learning_rate, " gradient norm ",
                rounded(moment.gradient_norm, 3), " padding ", rounded(100.0 * means.padding, 1),
                " % left ", duration_text(moment.seconds_left));
}

nlohmann::json validation_record(std::int64_t step, const std::map<std::string, double>& values) {
  nlohmann::json record{{"event", "validation"}, {"step", step}};
  for (const auto& [name, value] : values) record[name] = value;
  return record;
}

std::string validation_line(std::int64_t step, const std::map<std::string, double>& values) {
  std::string line = concat("validation at step ", step, ":");
  for (const auto& [name, value] : values)
    line += concat("  ", name, " ", rounded(value, name == "bleu" || name == "chrf" ? 2 : 4));
  return line;
}

std::string rounded(double value, int digits) {
  char text[40];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

}  // namespace dragoman
