#include "dragoman/train/progress_lines.h"

#include "dragoman/config/option_text.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/display_width.h"
#include "dragoman/core/joined.h"
#include "dragoman/core/quantity.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace dragoman {

namespace {

/// Three significant digits: "8.21", "33.2", "512", "9123".
std::string three_digits(double value) {
  return decimal(value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0);
}

std::string scientific(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1e", value);
  return text;
}

/// How far the training is, by the limit that ends it.
std::string share_text(const TrainOptions& options, const TrainingState& state, double seconds,
                       std::int64_t updates_left) {
  const auto percent = [](double share) {
    return concat(static_cast<int>(100.0 * std::clamp(share, 0.0, 1.0)), " %");
  };
  const auto all = state.step + std::max<std::int64_t>(updates_left, 0);
  const auto of_steps =
      static_cast<double>(state.step) / static_cast<double>(std::max<std::int64_t>(all, 1));
  const auto of_seconds = options.max_seconds > 0.0 ? seconds / options.max_seconds : 0.0;
  if (of_seconds > of_steps)
    return concat("step ", state.step, "  ", percent(of_seconds), " of ",
                  short_duration(options.max_seconds));
  return concat(state.step, '/', all, ' ', percent(of_steps));
}

/// "loss 3.123", or with both parts "loss 3.123 = 2.900 + 0.223 consistency".
std::string loss_text(const WindowMeans& means) {
  const auto text = "loss " + decimal(means.loss, 3);
  if (means.consistency == 0.0) return text;
  return concat(text, " = ", decimal(means.loss - means.consistency, 3), " + ",
                decimal(means.consistency, 3), " consistency");
}

}  // namespace

std::vector<std::string> live_fields(const TrainOptions& options, const TrainingState& state,
                                     const UpdateStatus& status, const WindowMeans& means,
                                     const Remaining& remaining, const MetricValues& validation) {
  std::vector<std::string> fields{
      concat("ep ", status.epoch), share_text(options, state, status.seconds, remaining.updates),
      "loss " + decimal(means.loss, 2), short_count(means.tokens_per_second) + " tok/s"};
  if (remaining.seconds) fields.push_back(short_duration(*remaining.seconds) + " left");
  if (const auto bleu = validation.find("bleu"); bleu != validation.end()) {
    fields.push_back("bleu " + decimal(bleu->second, 1));
  } else if (const auto other = validation.find(option_text(options.early_stopping_metric));
             other != validation.end()) {
    fields.push_back("valid " + metric_text(other->first, other->second));
  }
  return fields;
}

std::vector<std::string> record_fields(const TrainingState& state, const UpdateStatus& status,
                                       const Remaining& remaining) {
  const auto means = means_of(state.window);
  std::vector<std::string> fields{concat("ep ", status.epoch), concat("step ", state.step),
                                  loss_text(means), "ppl " + three_digits(std::exp(means.nll)),
                                  short_count(means.tokens_per_second) + " tok/s"};
  if (remaining.seconds) fields.push_back(short_duration(*remaining.seconds) + " left");
  fields.push_back("lr " + scientific(status.learning_rate));
  fields.push_back("norm " + three_digits(status.gradient_norm));
  return fields;
}

std::string metric_text(const std::string& name, double value) {
  if (name == "loss") return "loss " + decimal(value, 3);
  if (name == "perplexity") return "ppl " + three_digits(value);
  if (name == "accuracy") return concat("accuracy ", decimal(100.0 * value, 1), " %");
  return concat(name, ' ', decimal(value, 2));
}

std::string metrics_text(const MetricValues& values) {
  std::string text;
  for (const auto metric : validation_metrics)
    if (const auto value = values.find(option_text(metric)); value != values.end())
      text += (text.empty() ? "" : "  ") + metric_text(value->first, value->second);
  return text;
}

std::string verdict_text(const TrainingState& state, const TrainOptions& options) {
  std::vector<std::string> improved;
  for (const auto metric : validation_metrics)
    if (const auto best = state.best.find(option_text(metric));
        best != state.best.end() && best->second.step == state.step)
      improved.push_back(best->first);
  if (!improved.empty() && improved.size() == state.best.size()) return "best so far";
  std::string text;
  if (!improved.empty()) text = concat("best ", joined(improved, ", ", " and "), " so far");
  if (state.validations_without_gain == 0) return text.empty() ? "no improvement" : text;
  const auto metric = option_text(options.early_stopping_metric);
  text += concat(text.empty() ? "" : "; ", metric, ": ", state.validations_without_gain,
                 options.patience > 0 ? concat(" of ", options.patience) : std::string(),
                 " without improvement");
  if (const auto best = state.best.find(metric); best != state.best.end())
    text +=
        concat(", best ", metric_text(metric, best->second.value), " at step ", best->second.step);
  return text;
}

std::string best_text(const TrainingState& state) {
  std::string text;
  std::vector<std::int64_t> told;
  for (const auto metric : validation_metrics) {
    const auto best = state.best.find(option_text(metric));
    if (best == state.best.end()) continue;
    const auto step = best->second.step;
    if (std::find(told.begin(), told.end(), step) != told.end()) continue;
    told.push_back(step);
    MetricValues values;
    for (const auto& [name, other] : state.best)
      if (other.step == step) values[name] = other.value;
    text += concat(text.empty() ? "" : "; ", metrics_text(values), " at step ", step);
  }
  return text;
}

std::vector<std::string> sample_lines(const SampleTranslation& sample, std::size_t columns) {
  return {cut_to_width("source       " + sample.source, columns),
          cut_to_width("translation  " + sample.translation, columns),
          cut_to_width("reference    " + sample.reference, columns)};
}

}  // namespace dragoman
