#include "dragoman/train/limits.h"

#include "dragoman/config/option_text.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/joined.h"
#include "dragoman/core/quantity.h"

#include <algorithm>
#include <csignal>
#include <vector>

namespace dragoman {

namespace {

template <typename Number>
TrainingEnd reached(const char* option, Number limit, Number spent, const TrainingState& state) {
  return {.reason = concat(option, ' ', limit, " reached"),
          .signal = 0,
          .option = option,
          .spent = static_cast<double>(spent),
          .step = state.step};
}

}  // namespace

std::optional<TrainingEnd> reached_limit(const TrainOptions& options, const TrainingState& state,
                                         double seconds) {
  if (state.step >= options.max_steps)
    return reached("train.max_steps", options.max_steps, state.step, state);
  if (options.max_epochs > 0 && state.position.epoch >= options.max_epochs)
    return reached("train.max_epochs", options.max_epochs, state.position.epoch, state);
  if (options.max_seconds > 0.0 && seconds >= options.max_seconds)
    return reached("train.max_seconds", options.max_seconds, seconds, state);
  if (options.patience > 0 && state.validations_without_gain >= options.patience)
    return TrainingEnd{
        .reason = concat("no improvement of ", option_text(options.early_stopping_metric), " in ",
                         counted(options.patience, "validation"), " (train.patience)"),
        .signal = 0,
        .option = "train.patience",
        .spent = static_cast<double>(state.validations_without_gain),
        .step = state.step};
  return std::nullopt;
}

TrainingEnd stopped_by(int signal) {
  const std::string by = signal == SIGINT    ? "Ctrl-C"
                         : signal == SIGTERM ? "SIGTERM"
                         : signal == SIGHUP  ? "SIGHUP"
                         : signal == SIGUSR1 ? "SIGUSR1"
                         : signal == SIGUSR2 ? "SIGUSR2"
                         : signal == SIGXCPU ? "the limit on its processor time (SIGXCPU)"
                         : signal == SIGPIPE ? "a closed log (SIGPIPE)"
                                             : concat("signal ", signal);
  return {.reason = "stopped by " + by, .signal = signal};
}

std::int64_t updates_left(const TrainOptions& options, const TrainingState& state,
                          std::int64_t updates_per_epoch) {
  const auto updates = options.max_steps - state.step;
  if (options.max_epochs == 0) return updates;
  return std::min(updates, (options.max_epochs - state.position.epoch) * updates_per_epoch -
                               state.position.updates);
}

double seconds_left(const TrainOptions& options, const TrainingState& state, double seconds,
                    double seconds_per_update, std::int64_t updates_per_epoch) {
  const double left =
      static_cast<double>(updates_left(options, state, updates_per_epoch)) * seconds_per_update;
  return options.max_seconds > 0.0 ? std::min(left, options.max_seconds - seconds) : left;
}

std::string limits_text(const TrainOptions& options, const TrainingState& state,
                        std::int64_t updates_per_epoch, bool validates) {
  const auto updates = state.position.updates + options.max_steps - state.step;
  const auto epochs = static_cast<double>(state.position.epoch) +
                      static_cast<double>(updates) /
                          static_cast<double>(std::max<std::int64_t>(updates_per_epoch, 1));
  const auto per_epoch = counted(updates_per_epoch, "update");
  std::vector<std::string> limits{
      concat(counted(options.max_steps, "update"), " (",
             epochs < 0.1 ? "an epoch has " : decimal(epochs, 1) + " epochs of ", per_epoch, ")")};
  if (options.max_epochs > 0)
    limits.push_back(concat(counted(options.max_epochs, "epoch"), " (",
                            counted(options.max_epochs * updates_per_epoch, "update"), ")"));
  if (options.max_seconds > 0.0) limits.push_back(duration_text(options.max_seconds));
  if (options.patience > 0 && validates)
    limits.push_back(concat(counted(options.patience, "validation"), " without improvement of ",
                            option_text(options.early_stopping_metric)));
  return joined(limits, ", ", " or ");
}

}  // namespace dragoman
