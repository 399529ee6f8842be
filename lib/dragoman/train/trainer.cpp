#include "dragoman/train/trainer.h"

#include "dragoman/config/parse.h"
#include "dragoman/core/error.h"
#include "dragoman/core/log.h"
#include "dragoman/run/parameters.h"
#include "dragoman/tensor/device.h"
#include "dragoman/tensor/random_stream.h"
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
                 Communicator& group, const std::optional<WarmStart>& start_from)
    : options_(options),
      data_(data),
      run_dir_(run_dir),
      group_(group),
      device_(device_of_rank(group, options.train.device)),
      share_(share_workers(group, device_, options.train.workers)),
      replicas_(make_model(options, data, device_), options, share_.workers,
                smoothing_of(options, data)),
      adam_(replicas_.parameters().values(), options.train),
      validation_(data, options, share_.workers) {
  if (group_.size() > 1) replicas_.join(group_, share_);
  if (group_.rank() == 0) store_.emplace(run_dir, options_.train.keep_checkpoints);
  state_.identity = data_.facts;
  if (start_from) warm_start(*start_from);
  if (options_.train.ema_decay > 0.0) average_ = replicas_.parameters().values().clone();
  if (checkpoint) resume(*checkpoint);
  note_batch_order(state_.identity, checkpoint.has_value());
  share_training(group_, parts());
  clock_ = TrainingClock(state_.seconds);
  state_.identity["workers"] = share_.all;
  state_.identity["ranks"] = group_.size();
  if (store_) report_.emplace(run_dir_, options_, state_, !validation_.empty());
  stream_.emplace(data_.train, stream_options(options_, data_, share_, group_.size()),
                  state_.position);
  if (state_.restarts > 0) {
    saved_step_ = state_.step;
  } else {
    save();
  }
}

TrainingParts Trainer::parts() {
  return {.state = state_, .replicas = replicas_, .adam = adam_, .average = average_};
}

void Trainer::warm_start(const WarmStart& start_from) {
  const auto file = start_from.checkpoint / model_file;
  state_.identity["start_from"] = start_from.checkpoint.string();
  if (!start_from.matching) return load_parameters(*replicas_.model(), file);
  const auto load = load_matching_parameters(*replicas_.model(), file);
  state_.identity["start_from_anew"] = load.kept;
  log_info(concat(file.string(), ": loaded ", load.text()));
}

void Trainer::resume(const Checkpoint& checkpoint) {
  load_training(checkpoint, parts());
  ++state_.restarts;
  const auto ranks_before = state_.identity.value("ranks", std::int64_t{1});
  const auto workers_before = state_.identity.value("workers", share_.all);
  if (ranks_before != group_.size()) {
    log_warning(concat("the run had ", ranks_before, " processes and resumes with ", group_.size(),
                       ": an update is now ", group_.size(),
                       " times train.batch_tokens, so the results will not be those "
                       "of an uninterrupted run"));
    state_.position.updates = state_.position.updates * ranks_before / group_.size();
  } else if (workers_before != share_.all) {
    log_warning(concat("the run had ", workers_before, " workers and resumes with ", share_.all,
                       ": its results will differ in the last bits"));
  }
}

void Trainer::save() {
  align_training(group_, parts());
  state_.seconds = clock_.seconds();
  if (store_) save_training(*store_, options_, data_.vocabulary, parts());
  saved_step_ = state_.step;
}

TrainingEnd Trainer::run() {
  const StopSignal stop_signal;
  clock_.start();
  if (report_) report_->start(facts());
  for (;;) {
    if (const auto end = ended()) {
      if (saved_step_ != state_.step) save();
      if (report_) report_->ended(*end, spent());
      return *end;
    }
    if (!update()) continue;
    const bool validate_now = !validation_.empty() && due(options_.train.validate_every);
    if (validate_now) validate();
    if (validate_now || due(options_.train.checkpoint_every)) {
      save();
      if (report_) report_->saved();
    }
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
  const auto key =
      mix(as_seed(options_.seed), static_cast<std::uint64_t>(state_.step + state_.skipped));
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
  if (report_) report_->updated(now(norm));
  if (state_.step % options_.train.log_every == 0) state_.window = {};
  return true;
}

void Trainer::apply() {
  const auto before = std::chrono::steady_clock::now();
  state_.skipped_in_row = 0;
  ++state_.step;
  adam_.step(replicas_.gradient(),
             learning_rate(options_.train, options_.model.d_model, state_.step), &replicas_.pool());
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
  state_.window.seconds += clock_.lap();
  state_.sentences += data.sentences;
  state_.target_tokens += sums.tokens;
  state_.flops += update_flops(data, *replicas_.model());
}

void Trainer::skip(double loss, double norm) {
  ++state_.skipped;
  ++state_.skipped_in_row;
  if (report_) report_->skipped(loss, norm);
  if (state_.skipped_in_row >= options_.train.max_skipped)
    throw DataError(concat(
        run_dir_.string(), ": ", state_.skipped_in_row,
        " updates in a row had a non-finite loss or gradient; the last good checkpoint is step ",
        saved_step_,
        "; lower train.learning_rate, lengthen train.warmup_steps or set "
        "train.clip_norm"));
}

Moment Trainer::now(double norm) const {
  return {.epoch = state_.position.epoch + (epoch_ended_ ? 0 : 1),
          .learning_rate = learning_rate(options_.train, options_.model.d_model, state_.step),
          .gradient_norm = norm,
          .seconds = clock_.seconds()};
}

void Trainer::validate() {
  const auto before = clock_.seconds();
  if (report_) report_->validating();
  at::Tensor raw;
  if (average_.defined()) {
    raw = replicas_.parameters().values().clone();
    replicas_.parameters().values().copy_(average_);
  }
  const auto result = validation_.measure(replicas_, group_);
  if (raw.defined()) replicas_.parameters().values().copy_(raw);
  note_validation(state_, result.values, options_.train.early_stopping_metric);
  state_.validations.push_back(validation_record(state_.step, result.values));
  if (report_) report_->validated(result, clock_.seconds() - before);
  clock_.lap();  // the window's time is that of its updates
}

std::optional<TrainingEnd> Trainer::ended() const {
  // All ranks end together: by the signals that any of them received, and the clock of rank 0.
  const int received = StopSignal::received();
  std::array<double, 3> seen{received == SIGTERM ? 1.0 : 0.0, received == SIGINT ? 1.0 : 0.0,
                             group_.rank() == 0 ? clock_.seconds() : 0.0};
  sum(group_, seen);
  if (seen[0] > 0.0 || seen[1] > 0.0) return stopped_by(seen[0] > 0.0 ? SIGTERM : SIGINT);
  return reached_limit(options_.train, state_, seen[2]);
}

TrainingFacts Trainer::facts() {
  TrainingFacts facts{.examples = static_cast<std::int64_t>(data_.train.size()),
                      .updates_per_epoch = stream_->updates_per_epoch(),
                      .device = device_.str(),
                      .workers = share_.all,
                      .ranks = group_.size()};
  for (const auto& parameter : replicas_.model()->parameters())
    facts.parameters += parameter.numel();
  return facts;
}

TimeSpent Trainer::spent() {
  return {.seconds = clock_.seconds(),
          .own_seconds = clock_.own_seconds(),
          .waiting = replicas_.seconds().data};
}

}  // namespace dragoman
