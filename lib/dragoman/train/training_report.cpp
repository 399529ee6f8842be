#include "dragoman/train/training_report.h"

#include "dragoman/config/option_text.h"
#include "dragoman/config/parse.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/display_width.h"
#include "dragoman/core/log.h"
#include "dragoman/core/process_usage.h"
#include "dragoman/core/quantity.h"
#include "dragoman/core/terminal.h"
#include "dragoman/core/version.h"
#include "dragoman/optimizer/schedule.h"
#include "dragoman/run/checkpoint_store.h"
#include "dragoman/run/model_file.h"
#include "dragoman/tensor/device.h"
#include "dragoman/tensor/initialisation.h"

#include <algorithm>

namespace dragoman {

namespace {

constexpr double live_seconds = 0.2;
constexpr double shortest_told = 60.0;  // shorter estimates are not logged
constexpr std::size_t sample_columns = 100;
constexpr std::size_t log_prefix = 10;   // columns of "dragoman: "
constexpr std::size_t clock_prefix = 9;  // of "14:03:10 " with --log-time

/// Columns of a line of the log: those of the terminal; elsewhere there is no limit.
std::size_t log_columns(std::size_t elsewhere) {
  if (!has_live_line()) return elsewhere;
  const auto prefix = log_prefix + (log_time() ? clock_prefix : 0);
  return terminal_columns() - std::min(terminal_columns(), prefix);
}

/// The time of day, unless the log shows it before each line.
std::string clock_field() { return log_time() ? std::string() : clock_text() + "  "; }

/// How the parameters of a new model are drawn.
std::string drawn_parameters(const ModelOptions& model) {
  std::string drawn = initialisation_text;
  if (model.has_convolution() || model.encoder_layer == EncoderLayerKind::lstm ||
      model.decoder_layer == DecoderLayerKind::lstm)
    drawn += "; LSTM and convolution layers as LibTorch draws them";
  if (model.encoder_attention.has(AttentionKind::low_rank))
    drawn += "; low-rank mixtures normal with variance 1 / max_length";
  return drawn;
}

/// Where the weights of a run's beginning come from.
std::string initialisation_of(const TrainingState& state, const RunOptions& options) {
  const auto drawn = concat(drawn_parameters(options.model), "; seed ", options.seed);
  if (!state.identity.contains("start_from")) return drawn;
  const auto from = concat("weights of ", state.identity.at("start_from").get<std::string>());
  const auto anew = state.identity.find("start_from_anew");
  if (anew == state.identity.end() || anew->empty()) return from;
  return concat(from, "; ", anew->size(), " others: ", drawn);
}

/// The device that a training used as `device_descriptions` has it: for a CPU with its
/// instructions. \param device "cpu", "cuda:0"
std::string full_name(const std::string& device) {
  for (const auto& line : device_descriptions())
    if (line.starts_with(device)) return line;
  return device;
}

std::string update_time(double seconds) {
  return seconds < 0.9995 ? concat(decimal(1000.0 * seconds, 0), " ms")
                          : concat(decimal(seconds, 1), " s");
}

}  // namespace

TrainingReport::TrainingReport(const std::filesystem::path& run_dir, const RunOptions& options,
                               const TrainingState& state, bool validates)
    : run_dir_(run_dir),
      options_(options),
      state_(state),
      log_(run_dir, state),
      validates_(validates) {
  if (options.train.tensorboard) board_.emplace(run_dir, state, validates);
}

TrainingReport::~TrainingReport() { live_line(""); }

void TrainingReport::start(const TrainingFacts& facts) {
  updates_per_epoch_ = facts.updates_per_epoch;
  device_ = facts.device;
  record({{"event", "start"},
          {"version", version},
          {"step", state_.step},
          {"restarts", state_.restarts},
          {"parameters", facts.parameters},
          {"examples", facts.examples},
          {"unit", facts.unit},
          {"device", facts.device},
          {"workers", facts.workers},
          {"threads", facts.threads},
          {"ranks", facts.ranks},
          {"seed", options_.seed},
          {"initialisation", initialisation_of(state_, options_)},
          {"updates_per_epoch", updates_per_epoch_}});
  if (board_) board_->write_configuration(state_.step, to_text(options_));
  log_info(concat(state_.step == 0 ? "training" : concat("resuming at step ", state_.step, ":"),
                  ' ', grouped(facts.parameters), " parameters on ", grouped(facts.examples), ' ',
                  facts.unit, ": ", facts.device, ", ", facts.workers,
                  facts.workers == 1 ? " worker" : " workers",
                  facts.threads > 1 ? concat(" of ", facts.threads, " threads") : std::string(),
                  facts.ranks > 1 ? concat(" in ", facts.ranks, " processes") : std::string()));
  log_info("until " + limits_text(options_.train, state_, updates_per_epoch_, validates_));
  warn_of_options();
  if (has_live_line()) log_info("Ctrl-C stops and saves");
}

void TrainingReport::warn_of_options() const {
  const auto& train = options_.train;
  const auto updates = state_.step + updates_left(train, state_, updates_per_epoch_);
  for (const auto& warning :
       doubtful_rates(train, static_cast<double>(updates), state_.restarts > 0))
    log_warning(warning);
  const bool of_translations = train.early_stopping_metric == ValidationMetric::bleu ||
                               train.early_stopping_metric == ValidationMetric::chrf;
  if (validates_ && of_translations && !train.validate_translations)
    log_warning(concat("train.early_stopping_metric: ", option_text(train.early_stopping_metric),
                       " needs translations, but train.validate_translations=false makes none: "
                       "the newest checkpoint counts as the best; choose loss, perplexity "
                       "or accuracy"));
  if (state_.step > options_.train.max_steps)
    log_warning(concat("train.max_steps: ", options_.train.max_steps, " is less than the ",
                       counted(state_.step, "update"),
                       " that the run has; raise it to train further"));
}

void TrainingReport::updated(const UpdateStatus& status) {
  if (!first_) first_ = FirstUpdate{.step = state_.step, .seconds = status.seconds};
  const auto left = remaining(status.seconds);
  if (state_.step % options_.train.log_every == 0) log_window(status, left);
  if (has_live_line() && status.seconds >= next_live_) show_live(status, left);
}

void TrainingReport::log_window(const UpdateStatus& status, const Remaining& left) {
  record(window_record(state_, status));
  auto fields = record_fields(state_, status, left);
  fields.front() = clock_field() + fields.front();
  log_info(fields_in_width(fields, log_columns(std::string::npos)));
  last_window_ = state_.window;
  if (!estimate_told_) tell_estimate(status.seconds, left);
}

void TrainingReport::tell_estimate(double seconds, const Remaining& left) {
  if (!left.seconds) return;
  estimate_told_ = true;
  if (*left.seconds < shortest_told) return;
  log_info(concat("about ", duration_text(*left.seconds), " left: ", grouped(left.updates),
                  " updates at ", update_time(seconds_per_update(seconds).value_or(0.0)), " each",
                  options_.train.max_seconds > 0.0 ? " or train.max_seconds" : ""));
}

void TrainingReport::show_live(const UpdateStatus& status, const Remaining& left) {
  auto window = last_window_;
  if (state_.step % options_.train.log_every != 0) window += state_.window;
  const auto means = means_of(window);
  const auto fields = live_fields(options_.train, state_, status, means, left, validation_);
  live_line(fields_in_width(fields, terminal_columns() - 1));
  next_live_ = status.seconds + live_seconds;
}

void TrainingReport::skipped(double loss, double gradient_norm) {
  record({{"event", "skipped"},
          {"step", state_.step},
          {"loss", loss},
          {"gradient_norm", gradient_norm},
          {"skipped", state_.skipped}});
  log_warning(concat("after step ", state_.step, ": an update of loss ", loss,
                     " and gradient norm ", gradient_norm, " is skipped (", state_.skipped,
                     " so far)"));
}

void TrainingReport::validating() {
  validating_.emplace(concat("validating at step ", state_.step));
}

void TrainingReport::validated(const std::optional<ValidationResult>& result, double seconds) {
  validating_.reset();
  if (!result) return log_info("the validation was stopped; it is repeated when the run resumes");
  validation_ = result->values;
  auto entry = state_.validations.back();
  entry["seconds"] = seconds;
  for (const auto& sample : result->samples)
    entry["samples"].push_back({{"source", sample.source},
                                {"translation", sample.translation},
                                {"reference", sample.reference}});
  record(entry);
  if (board_) board_->write_samples(state_.step, result->samples);
  log_info(concat(clock_field(), "validation at step ", state_.step, " (", duration_text(seconds),
                  "): ", verdict_text(state_, options_.train)));
  log_info("  " + metrics_text(result->values));
  const auto columns = std::min<std::size_t>(log_columns(sample_columns), sample_columns);
  for (const auto& sample : result->samples)
    for (const auto& line : sample_lines(sample, columns - std::min<std::size_t>(columns, 2)))
      log_info("  " + line);
}

void TrainingReport::saved(std::int64_t step) { log_info("saved " + checkpoint(step).string()); }

void TrainingReport::ended(const TrainingEnd& end, const TimeSpent& spent) {
  record({{"event", end.signal == 0 ? "end" : "stopped"},
          {"step", state_.step},
          {"reason", end.reason},
          {"seconds", spent.seconds},
          {"cpu_seconds", spent.cpu_seconds},
          {"sentences", state_.sentences},
          {"target_tokens", state_.target_tokens},
          {"flops", state_.flops},
          {"peak_memory_mb", peak_memory_mb()},
          {"skipped", state_.skipped},
          {"data_seconds", spent.waiting},
          {"own_seconds", spent.own_seconds},
          {"device", full_name(device_)}});
  live_line("");
  log_info(concat(end.signal == 0 ? concat("ended at step ", state_.step, ": ", end.reason)
                                  : concat(end.reason, " at step ", state_.step)));
  const double waiting = 100.0 * spent.waiting / std::max(spent.own_seconds, 1e-9);
  log_info(concat(
      "trained for ", duration_text(spent.seconds), ", ", grouped(state_.target_tokens),
      " target tokens", state_.flops > 0.0 ? concat(", ", flops_text(state_.flops)) : std::string(),
      waiting >= 1.0 ? concat(", waiting for data ", decimal(waiting, 0), " % of the time")
                     : std::string()));
  if (const auto best = best_text(state_); !best.empty()) log_info("best: " + best);
  log_info("saved: " + checkpoint(state_.step).string());
}

void TrainingReport::record(const nlohmann::json& entry) {
  log_.write(entry);
  if (board_) board_->write(entry);
}

std::optional<double> TrainingReport::seconds_per_update(double seconds) const {
  if (!first_ || state_.step == first_->step) return std::nullopt;
  return (seconds - first_->seconds) / static_cast<double>(state_.step - first_->step);
}

Remaining TrainingReport::remaining(double seconds) const {
  Remaining left{.updates = updates_left(options_.train, state_, updates_per_epoch_)};
  const auto each = seconds_per_update(seconds);
  // The first few updates are not representative, unless they are long.
  if (each && (state_.step - first_->step >= 10 || seconds - first_->seconds >= 5.0))
    left.seconds = seconds_left(options_.train, state_, seconds, *each, updates_per_epoch_);
  return left;
}

std::filesystem::path TrainingReport::checkpoint(std::int64_t step) const {
  return run_dir_ / checkpoints_folder / checkpoint_name(step);
}

}  // namespace dragoman
