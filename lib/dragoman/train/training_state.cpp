#include "dragoman/train/training_state.h"

#include "dragoman/config/option_text.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/stored_json.h"
#include "dragoman/run/manifest.h"
#include "dragoman/run/stored_state.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>

namespace dragoman {

namespace {

// Keys of `validation_file` beside those of a validation's record.
constexpr const char* seconds_key = "training_seconds";
constexpr const char* cpu_seconds_key = "training_cpu_seconds";

/// As C prints it by "%a" with a decimal point, whatever the locale: "0x1.8p+3", "-0x1p+0", "inf".
std::string exact(double value) {
  std::array<char, 40> digits{};
  const double magnitude = std::abs(value);
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), magnitude,
                                 std::chars_format::hex);
  return concat(std::signbit(value) ? "-" : "", std::isfinite(value) ? "0x" : "",
                std::string_view(digits.data(), end.ptr));
}

double exact(const nlohmann::json& json, const std::string& place) {
  const auto text = json.get<std::string>();
  std::string_view digits = text;
  const bool negative = digits.starts_with('-');
  if (negative) digits.remove_prefix(1);
  if (digits.starts_with("0x")) digits.remove_prefix(2);
  double value = 0.0;
  const auto end =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, std::chars_format::hex);
  if (end.ec != std::errc() || end.ptr != digits.data() + digits.size())
    throw FormatError(concat(place, ": \"", text, "\" is not a number; use another checkpoint"));
  return negative ? -value : value;
}

nlohmann::json window_json(const Window& w) {
  return {{"loss", exact(w.loss.loss)},
          {"nll", exact(w.loss.nll)},
          {"consistency", exact(w.loss.consistency)},
          {"correct", w.loss.correct},
          {"tokens", w.loss.tokens},
          {"source_tokens", w.source_tokens},
          {"padding", w.padding},
          {"updates", w.updates},
          {"seconds", exact(w.seconds)}};
}

/// Windows of older versions have no seconds: these are estimated from those of the whole training,
/// by tokens.
double window_seconds(const nlohmann::json& state, const std::string& place) {
  const auto& window = state.at("window");
  if (window.contains("seconds")) return exact(window.at("seconds"), place);
  const double all = state.at("target_tokens");
  return all > 0.0 ? exact(state.at("seconds"), place) * window.at("tokens").get<double>() / all
                   : 0.0;
}

Window window_from(const nlohmann::json& json, const std::string& place) {
  return {.loss = {.loss = exact(json.at("loss"), place),
                   .nll = exact(json.at("nll"), place),
                   .consistency =
                       json.contains("consistency") ? exact(json.at("consistency"), place) : 0.0,
                   .correct = json.at("correct"),
                   .tokens = json.at("tokens")},
          .source_tokens = json.at("source_tokens"),
          .padding = json.at("padding"),
          .updates = json.at("updates"),
          .seconds = 0.0};
}

}  // namespace

nlohmann::json to_json(const TrainingState& state) {
  nlohmann::json best = nlohmann::json::object();
  for (const auto& [metric, value] : state.best)
    best[metric] = {{"value", value.value}, {"exact", exact(value.value)}, {"step", value.step}};
  return {{"format_version", checkpoint_format_version},
          {"step", state.step},
          {"skipped", state.skipped},
          {"skipped_in_row", state.skipped_in_row},
          {"epoch", state.position.epoch},
          {"updates_in_epoch", state.position.updates},
          {"seconds", exact(state.seconds)},
          {"cpu_seconds", exact(state.cpu_seconds)},
          {"restarts", state.restarts},
          {"sentences", state.sentences},
          {"target_tokens", state.target_tokens},
          {"flops", exact(state.flops)},
          {"window", window_json(state.window)},
          {"best", best},
          {"validations_without_gain", state.validations_without_gain},
          {"validations", state.validations},
          {"identity", state.identity}};
}

TrainingState training_state_from(const nlohmann::json& json, const std::string& place) {
  if (!is_training_state(json))
    throw FormatError(
        concat(place,
               ": belongs to a model that was averaged or converted, not trained here; "
               "translate with it, or train in another folder"));
  try {
    if (json.at("format_version").get<int>() > checkpoint_format_version)
      throw FormatError(concat(place, ": written by a newer version (format ",
                               json.at("format_version").get<int>(), "); use a newer dragoman"));
    TrainingState state;
    state.step = json.at("step");
    state.skipped = json.at("skipped");
    state.skipped_in_row = json.at("skipped_in_row");
    state.position = {.epoch = json.at("epoch"), .updates = json.at("updates_in_epoch")};
    state.seconds = exact(json.at("seconds"), place);
    if (json.contains("cpu_seconds")) state.cpu_seconds = exact(json.at("cpu_seconds"), place);
    state.restarts = json.at("restarts");
    state.sentences = json.at("sentences");
    state.target_tokens = json.at("target_tokens");
    state.flops = exact(json.at("flops"), place);
    state.window = window_from(json.at("window"), place);
    state.window.seconds = window_seconds(json, place);
    for (const auto& [metric, value] : json.at("best").items())
      state.best[metric] = {.value = exact(value.at("exact"), place), .step = value.at("step")};
    state.validations_without_gain = json.at("validations_without_gain");
    state.validations = json.at("validations");
    state.identity = json.at("identity");
    return state;
  } catch (const nlohmann::json::exception& error) {
    throw FormatError(
        concat(place, ": is damaged: ", stored_json_fact(error), "; use another checkpoint"));
  }
}

TrainingState read_training_state(const std::filesystem::path& checkpoint) {
  const auto stored = read_stored_state(checkpoint);
  return training_state_from(stored.content, stored.place);
}

Window& Window::operator+=(const Window& other) {
  loss += other.loss;
  source_tokens += other.source_tokens;
  padding += other.padding;
  updates += other.updates;
  seconds += other.seconds;
  return *this;
}

void note_update(TrainingState& state, const UpdateSums& sums, double seconds) {
  state.window += {.loss = sums.loss,
                   .source_tokens = sums.counts.source_tokens,
                   .padding = sums.counts.padding,
                   .updates = 1,
                   .seconds = seconds};
  state.sentences += sums.counts.sentences;
  state.target_tokens += sums.loss.tokens;
  state.flops += sums.counts.flops;
}

namespace {

/// Only those that were due: a training that is stopped and extended is not to end earlier.
bool counts_for_patience(const nlohmann::json& validation, ValidationMetric early_stopping) {
  return validation.contains(option_text(early_stopping)) && !validation.value("at_limit", false);
}

}  // namespace

void note_validation(TrainingState& state, const nlohmann::json& record,
                     ValidationMetric early_stopping) {
  bool gained = false;
  for (const auto& [name, value] : record.items()) {
    const auto metric = nlohmann::json(name).get<ValidationMetric>();
    if (nlohmann::json(metric) != name) continue;  // not one of those a user may choose
    const double number = value.is_number() ? value.get<double>() : std::nan("");
    const auto best = state.best.find(name);
    if (std::isnan(number) ||
        (best != state.best.end() && !is_better(metric, number, best->second.value)))
      continue;
    state.best[name] = {.value = number, .step = state.step};
    gained = gained || metric == early_stopping;
  }
  if (gained)
    state.validations_without_gain = 0;
  else if (counts_for_patience(record, early_stopping))
    ++state.validations_without_gain;
  state.validations.push_back(record);
}

nlohmann::json to_validation_file(const TrainingState& state) {
  auto file = state.validations.back();
  file[seconds_key] = exact(state.seconds);
  file[cpu_seconds_key] = exact(state.cpu_seconds);
  return file;
}

bool note_later_validation(TrainingState& state, const nlohmann::json& file,
                           ValidationMetric early_stopping) try {
  auto record = file;
  const auto step = record.is_object() ? record.find("step") : record.end();
  if (step == record.end() || *step != state.step) return false;
  if (const auto loss = record.find("loss"); loss == record.end() || loss->is_string())
    return false;
  for (const auto& [key, time] :
       {std::pair{seconds_key, &state.seconds}, {cpu_seconds_key, &state.cpu_seconds}})
    if (record.contains(key)) {
      *time = std::max(*time, exact(record.at(key), key));
      record.erase(key);
    }
  if (validated_step(state) != state.step) note_validation(state, record, early_stopping);
  return true;
} catch (const FormatError&) {
  return false;
} catch (const nlohmann::json::exception&) {
  return false;
}

void count_validations_without_gain(TrainingState& state, ValidationMetric early_stopping) {
  const auto metric = option_text(early_stopping);
  const auto best = state.best.find(metric);
  const auto since = best == state.best.end() ? -1 : best->second.step;
  const auto has_no_gain = [&](const nlohmann::json& record) {
    return counts_for_patience(record, early_stopping) &&
           record.at("step").get<std::int64_t>() > since;
  };
  state.validations_without_gain =
      std::count_if(state.validations.begin(), state.validations.end(), has_no_gain);
}

std::int64_t validated_step(const TrainingState& state) {
  return state.validations.empty() ? -1 : state.validations.back().at("step").get<std::int64_t>();
}

bool is_better(ValidationMetric metric, double value, double best) {
  if (std::isnan(value) || std::isnan(best)) return !std::isnan(value);
  return metric == ValidationMetric::loss || metric == ValidationMetric::perplexity ? value < best
                                                                                    : value > best;
}

}  // namespace dragoman
