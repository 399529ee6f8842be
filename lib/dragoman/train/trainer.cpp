#include "dragoman/train/trainer.h"

#include "dragoman/checkpoint/parameters.h"
#include "dragoman/config/parse.h"
#include "dragoman/core/error.h"
#include "dragoman/core/log.h"
#include "dragoman/core/process_usage.h"
#include "dragoman/tensor/device.h"
#include "dragoman/tensor/random_stream.h"
#include "dragoman/train/limits.h"
#include "dragoman/train/records.h"
#include "dragoman/train/same_run.h"
#include "dragoman/train/schedule.h"
#include "dragoman/train/stop_signal.h"
#include "dragoman/train/training_checkpoint.h"
#include "dragoman/train/training_setup.h"

#include <torch/cuda.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>

namespace dragoman {

Trainer::Trainer(const RunOptions& options, const TrainingData& data,
                 const std::filesystem::path& run_dir, const std::optional<Checkpoint>& checkpoint,
                 Communicator& group, const std::optional<FirstWeights>& start_from)
    : options_(options),
      data_(data),
      run_dir_(run_dir),
      group_(group),
      device_(device_of_rank(group, options.train.device)),
      share_(share_workers(group, device_, options.train.workers)),
      replicas_(make_model(options, data, device_), options, share_.workers, smoothing_of(options, data)),
      adam_(replicas_.parameters().values(), options.train),
      validation_(data, options, share_.workers) {
  if (group_.size() > 1) replicas_.join(group_, share_);
  if (group_.rank() == 0) store_.emplace(run_dir, options_.train.keep_checkpoints);
  state_.identity = data_.facts;
  if (start_from) begin_with(*start_from);
  if (options_.train.ema_decay > 0.0) average_ = replicas_.parameters().values().clone();
  if (checkpoint) resume(*checkpoint);
  note_batch_order(state_.identity, checkpoint.has_value());
  share_training(group_, parts());
  seconds_before_ = window_began_ = state_.seconds;
  state_.identity["workers"] = share_.all;
  state_.identity["ranks"] = group_.size();
  if (store_) log_.emplace(run_dir_, state_.step, options_.train.tensorboard);
  stream_.emplace(data_.train, stream_options(options_, data_, share_, group_.size()), state_.position);
  if (state_.restarts > 0) {
    saved_step_ = state_.step;
  } else {
    save();
  }
}

TrainingParts Trainer::parts() {
  return {.state = state_, .replicas = replicas_, .adam = adam_, .average = average_};
}

void Trainer::begin_with(const FirstWeights& start_from) {
  const auto file = start_from.checkpoint / "model.safetensors";
  state_.identity["start_from"] = start_from.checkpoint.string();
  if (!start_from.matching) return load_parameters(*replicas_.model(), file);
  const auto load = load_matching_parameters(*replicas_.model(), file);
  state_.identity["start_from_anew"] = load.kept;
  log_info(concat(file.string(), ": takes ", load.text()));
}

void Trainer::resume(const Checkpoint& checkpoint) {
  load_training(checkpoint, parts());
  ++state_.restarts;
  const auto ranks_before = state_.identity.value("ranks", std::int64_t{1});
  const auto workers_before = state_.identity.value("workers", share_.all);
  if (ranks_before != group_.size()) {
    log_warning(concat("the run had ", ranks_before, " processes and goes on with ", group_.size(),
                       ": an update is now ", group_.size(), " times train.batch_tokens large, and its "
                       "numbers are not those that the run would have had"));
    state_.position.updates = state_.position.updates * ranks_before / group_.size();
  } else if (workers_before != share_.all) {
    log_warning(concat("the run had ", workers_before, " workers and goes on with ", share_.all,
                       ": its numbers will differ in the last bits"));
  }
}

void Trainer::save() {
  align_training(group_, parts());
  state_.seconds = elapsed();
  if (store_) save_training(*store_, options_, data_.vocabulary, parts());
  saved_step_ = state_.step;
}

TrainingEnd Trainer::run() {
  const StopSignal stop_signal;
  first_step_ = state_.step;
  started_ = std::chrono::steady_clock::now();
  write_start();
  for (;;) {
    if (const auto end = ended()) {
      if (saved_step_ != state_.step) save();
      write_end(*end);
      return *end;
    }
    if (!update()) continue;
    const bool validate_now = !validation_.empty() && due(options_.train.validate_every);
    if (validate_now) validate();
    if (validate_now || due(options_.train.checkpoint_every)) save();
  }
}

bool Trainer::due(std::int64_t every) const {
  return every > 0 ? state_.step % every == 0 : epoch_ended_;
}

bool Trainer::update() {
  const auto waiting = std::chrono::steady_clock::now();
  const auto data = stream_->next();
  replicas_.seconds().data +=
      std::chrono::duration<double>(std::chrono::steady_clock::now() - waiting).count();
  epoch_ended_ = data.next.updates == 0;
  const auto key = mix(as_seed(options_.seed), static_cast<std::uint64_t>(state_.step + state_.skipped));
  if (device_.is_cuda())
    torch::cuda::manual_seed_all(group_.rank() == 0 ? key : mix(key, as_seed(group_.rank())));
  const auto sums = replicas_.accumulate(data, key);
  const auto norm = clip_norm(replicas_.gradient(), options_.train.clip_norm);
  state_.position = data.next;
  if (!std::isfinite(sums.loss) || !std::isfinite(norm)) {
    skip(sums.loss / static_cast<double>(sums.tokens), norm);
    return false;
  }
  apply();
  count(data, sums);
  if (state_.step % options_.train.log_every == 0) log_window(norm);
  show_progress(norm);
  return true;
}

void Trainer::apply() {
  const auto before = std::chrono::steady_clock::now();
  state_.skipped_in_row = 0;
  ++state_.step;
  adam_.step(replicas_.gradient(), learning_rate(options_.train, options_.model.d_model, state_.step),
             &replicas_.pool());
  if (average_.defined())
    average_.lerp_(replicas_.parameters().values(), 1.0 - options_.train.ema_decay);
  replicas_.seconds().optimizer +=
      std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count();
}

void Trainer::count(const UpdateData& data, const PassSums& sums) {
  state_.window.loss += sums.loss;
  state_.window.nll += sums.nll;
  state_.window.correct += sums.correct;
  state_.window.tokens += sums.tokens;
  state_.window.source_tokens += data.source_tokens;
  state_.window.padding += data.padding;
  ++state_.window.updates;
  state_.sentences += data.sentences;
  state_.target_tokens += sums.tokens;
  state_.flops += update_flops(data, *replicas_.model());
}

void Trainer::skip(double loss, double norm) {
  ++state_.skipped;
  ++state_.skipped_in_row;
  record({{"event", "skipped"}, {"step", state_.step}, {"loss", loss}, {"gradient_norm", norm},
          {"skipped", state_.skipped}});
  log_warning(concat("step ", state_.step + 1, ": loss ", loss, ", gradient norm ", norm,
                     "; this update is left out (", state_.skipped, " so far)"));
  if (state_.skipped_in_row >= options_.train.max_skipped)
    throw DataError(concat(run_dir_.string(), ": ", state_.skipped_in_row,
                           " updates in a row had a non-finite loss or gradient; the last good checkpoint is step ",
                           saved_step_, "; lower train.learning_rate, lengthen train.warmup_steps or set "
                           "train.clip_norm"));
}

Moment Trainer::now(double norm) const {
  const double seconds = elapsed();
  const auto done = static_cast<double>(std::max<std::int64_t>(state_.step - first_step_, 1));
  return {.epoch = state_.position.epoch + (epoch_ended_ ? 0 : 1),
          .learning_rate = learning_rate(options_.train, options_.model.d_model, state_.step),
          .gradient_norm = norm,
          .seconds = seconds,
          .window_seconds = seconds - window_began_,
          .seconds_left = seconds_left(options_.train, state_, seconds, (seconds - seconds_before_) / done,
                                       stream_->updates_per_epoch())};
}

void Trainer::log_window(double norm) {
  const auto moment = now(norm);
  record(window_record(state_, moment));
  if (!has_live_line()) log_info(window_line(state_, moment));
  state_.window = {};
  window_began_ = moment.seconds;
}

void Trainer::show_progress(double norm) {
  if (log_ && has_live_line() && state_.window.tokens > 0) live_line(window_line(state_, now(norm)));
}

void Trainer::validate() {
  const auto before = elapsed();
  at::Tensor raw;
  if (average_.defined()) {
    raw = replicas_.parameters().values().clone();
    replicas_.parameters().values().copy_(average_);
  }
  const auto values = validation_.measure(replicas_, group_);
  if (raw.defined()) replicas_.parameters().values().copy_(raw);
  note_validation(state_, values, options_.train.early_stopping_metric);
  auto measured = validation_record(state_.step, values);
  state_.validations.push_back(measured);
  measured["seconds"] = elapsed() - before;
  record(measured);
  log_info(validation_line(state_.step, values));
  window_began_ += elapsed() - before;
}

std::optional<TrainingEnd> Trainer::ended() const {
  // All ranks end together: by the signals that any of them received, and the clock of rank 0.
  const int received = StopSignal::received();
  std::array<double, 3> seen{received == SIGTERM ? 1.0 : 0.0, received == SIGINT ? 1.0 : 0.0,
                             group_.rank() == 0 ? elapsed() : 0.0};
  sum(group_, seen);
  if (seen[0] > 0.0 || seen[1] > 0.0) {
    const int signal = seen[0] > 0.0 ? SIGTERM : SIGINT;
    return TrainingEnd{.reason = concat("signal ", signal, " received"), .signal = signal};
  }
  if (auto limit = reached_limit(options_.train, state_, seen[2])) return TrainingEnd{.reason = *limit};
  return std::nullopt;
}

void Trainer::record(const nlohmann::json& entry) {
  if (log_) log_->write(entry);
}

void Trainer::write_start() {
  std::int64_t parameters = 0;
  for (const auto& parameter : replicas_.model()->parameters()) parameters += parameter.numel();
  record({{"event", "start"}, {"step", state_.step}, {"restarts", state_.restarts}, {"parameters", parameters},
          {"device", device_.str()}, {"workers", share_.all}, {"ranks", group_.size()}, {"seed", options_.seed},
          {"updates_per_epoch", stream_->updates_per_epoch()}});
  log_info(concat(state_.step == 0 ? "training" : concat("going on from step ", state_.step), ": ", parameters,
                  " parameters, ", data_.train.size(), " pairs, ", stream_->updates_per_epoch(),
                  " updates an epoch, ", device_.str(), ", ", share_.all, " workers",
                  group_.size() > 1 ? concat(" in ", group_.size(), " processes") : std::string()));
}

void Trainer::write_end(const TrainingEnd& end) {
  const auto& spent = replicas_.seconds();
  record({{"event", end.signal == 0 ? "end" : "stopped"}, {"step", state_.step}, {"reason", end.reason}, {"seconds", elapsed()},
          {"sentences", state_.sentences}, {"target_tokens", state_.target_tokens},
          {"flops", state_.flops}, {"peak_memory_mb", peak_memory_mb()}, {"skipped", state_.skipped},
          {"data_seconds", spent.data}, {"device", device_descriptions().front()}});
  live_line("");
  log_info(concat("ended at step ", state_.step, ": ", end.reason, "; ", duration_text(elapsed()), ", ",
                  state_.target_tokens, " target tokens, ", state_.flops, " FLOPs, waiting for data ",
                  rounded(100.0 * spent.data / std::max(elapsed() - seconds_before_, 1e-9), 2), " % of the time"));
  for (const auto& [metric, best] : state_.best)
    log_info(concat("best ", metric, " ", rounded(best.value, 4), " at step ", best.step));
}

double Trainer::elapsed() const {
  if (started_ == std::chrono::steady_clock::time_point{}) return seconds_before_;
  return seconds_before_ + std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
}

}  // namespace dragoman
