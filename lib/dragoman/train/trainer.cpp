#include "dragoman/train/trainer.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/log.h"
#include "dragoman/core/mix.h"
#include "dragoman/core/quantity.h"
#include "dragoman/core/stopwatch.h"
#include "dragoman/optimizer/schedule.h"
#include "dragoman/tensor/device.h"
#include "dragoman/train/stop_signal.h"
#include "dragoman/train/training_setup.h"

#include <torch/cuda.h>

#include <array>
#include <csignal>
#include <utility>

namespace dragoman {

namespace {

bool is_multiple(std::int64_t step, std::int64_t every) { return every > 0 && step % every == 0; }

}  // namespace

Trainer::Trainer(const RunOptions& options, TrainingTask task, const std::filesystem::path& run_dir,
                 const std::optional<Checkpoint>& checkpoint, Communicator& group,
                 const std::optional<StartFrom>& start_from)
    : options_(options),
      run_dir_(run_dir),
      group_(group),
      task_(std::move(task)),
      current_(device_of(task_.model->module())),
      share_(share_workers(group, device_of(task_.model->module()), options.train,
                           parameters_in(task_.model->module()))),
      workers_(task_.model, options.train, {.workers = share_.workers, .threads = share_.threads}),
      adam_(workers_.weights(), options.train),
      average_(workers_.weights(), options.train.ema_decay) {
  if (group_.size() > 1) workers_.join(group_, share_);
  // A group waits for the sums of its ranks in any case.
  if (!workers_.weights().is_cpu() && group_.size() == 1)
    pipeline_.emplace(
        UpdatedParts{.workers = workers_, .adam = adam_, .average = average_},
        [this](std::int64_t unread) { return next_settings(unread); },
        [this](const UpdateData& data, const UpdateSettings& settings, const UpdateResult& result) {
          record(data, settings, result);
        });
  if (group_.rank() == 0) store_.emplace(run_dir, options_.train.keep_checkpoints);
  initialise(checkpoint, start_from);
  share_training(group_, parts());  // from here on, all ranks have rank 0's state
  open_report_and_stream();
  if (state_.restarts > 0)
    saved_step_ = state_.step;
  else
    save(/*tell=*/false);
  finish_save();
}

/// What begins where the state is, the clock too.
void Trainer::open_report_and_stream() {
  clock_ = TrainingClock(state_.seconds, state_.cpu_seconds);
  state_.identity["workers"] = share_.all;
  state_.identity["ranks"] = group_.size();
  if (store_) report_.emplace(run_dir_, options_, state_, !task_.validation.empty());
  stream_.emplace(
      task_.examples,
      shared_stream(task_.stream, share_, group_.size(), device_of(task_.model->module())),
      state_.position);
}

TrainingParts Trainer::parts() {
  return {.state = state_, .workers = workers_, .adam = adam_, .average = average_};
}

TrainingEnd Trainer::run() {
  const StopSignal stop_signal(group_.size() > 1);
  clock_.start();
  if (report_) report_->start(facts());
  for (;;) {
    if (validation_is_due()) validate();
    if (const auto end = agree_on_end()) {
      if (pipeline_ && pipeline_->under_way() != nullptr) {
        pipeline_->finish();
        continue;
      }
      save(/*tell=*/false);
      if (end->signal == 0 && can_be_validated()) {
        validate();  // the last updates, too, may have given the best weights
        continue;
      }
      finish(*end);
      return *end;
    }
    if (!step()) continue;
    if (saving_.has_ended()) finish_save();
    const bool save_now = validation_is_due() || due(options_.train.checkpoint_every);
    if (save_now) save(/*tell=*/true);
  }
}

void Trainer::finish(const TrainingEnd& end) {
  finish_save();
  if (report_)
    report_->ended(end, {.seconds = clock_.seconds(),
                         .cpu_seconds = clock_.cpu_seconds(),
                         .own_seconds = clock_.own_seconds(),
                         .waiting = workers_.seconds().data});
}

/// The learning rate and the random numbers of the next update.
UpdateSettings Trainer::next_settings(std::int64_t unread) {
  const auto before = state_.step + unread;
  const auto key = mix(static_cast<std::uint64_t>(options_.seed),
                       static_cast<std::uint64_t>(before + state_.skipped));
  if (workers_.weights().is_cuda())
    torch::cuda::manual_seed_all(mix(key, static_cast<std::uint64_t>(group_.rank())));
  return {.learning_rate = learning_rate(options_.train, options_.model.d_model, before + 1),
          .clip_norm = options_.train.clip_norm,
          .key = key};
}

/// One update of the weights; with a pipeline, its start.
/// \return false if a signal came before its data: none has begun
bool Trainer::step() {
  // Ranks make the same updates: they agree on an end in between.
  const auto is_stopped = [this] { return group_.size() == 1 && StopSignal::received() != 0; };
  auto data = timed(workers_.seconds().data, [&] { return stream_->next_unless(is_stopped); });
  if (!data) return false;
  if (!pipeline_) {
    const auto settings = next_settings(/*unread=*/0);
    const UpdatedParts parts{.workers = workers_, .adam = adam_, .average = average_};
    record(*data, settings, update(parts, *data, settings));
    return true;
  }
  pipeline_->start(*std::move(data));
  if (const auto* started = pipeline_->under_way(); started != nullptr && needs_result(*started))
    pipeline_->finish();
  return true;
}

/// Whether anything but the next update may follow from the one that is under way.
bool Trainer::needs_result(const UpdateData& under_way) const {
  const auto& train = options_.train;
  const auto step = state_.step + 1;
  return under_way.next.is_at_epoch_end() || step >= train.max_steps ||
         is_multiple(step, train.checkpoint_every) || is_multiple(step, train.validate_every);
}

void Trainer::record(const UpdateData& data, const UpdateSettings& settings,
                     const UpdateResult& result) {
  const auto& next = data.next;
  state_.position = next;
  if (!result.applied) return skip(result);
  state_.skipped_in_row = 0;
  ++state_.step;
  note_update(state_, result.sums, clock_.lap());
  if (report_)
    report_->updated({.epoch = next.epoch + (next.is_at_epoch_end() ? 0 : 1),
                      .learning_rate = settings.learning_rate,
                      .gradient_norm = result.gradient_norm,
                      .seconds = clock_.seconds()});
  if (state_.step % options_.train.log_every == 0) state_.window = {};
}

void Trainer::skip(const UpdateResult& result) {
  ++state_.skipped;
  ++state_.skipped_in_row;
  const auto& loss = result.sums.loss;
  if (report_) report_->skipped(loss.loss / static_cast<double>(loss.tokens), result.gradient_norm);
  if (state_.skipped_in_row >= options_.train.max_skipped) diverge();
}

void Trainer::diverge() {
  finish_save();
  std::array<double, 1> all_are_here{};
  sum(group_, all_are_here);  // rank 0 may have waited for its checkpoint
  throw DivergedError(concat(
      run_dir_.string(), ": ", counted(state_.skipped_in_row, "update"),
      " in a row had a loss or gradient that is not finite or too large; the last good "
      "checkpoint is step ",
      saved_step_, "; start a new run from it in another folder with --start-from and a lower ",
      "train.learning_rate, a longer train.warmup_steps or train.clip_norm"));
}

/// Whether something is done at this step, every `every` updates; the caller knows whether it has
/// been done. 0 = once an epoch, even if the epoch's last update was skipped.
bool Trainer::due(std::int64_t every) const {
  if (every > 0) return is_multiple(state_.step, every);
  return state_.position.is_at_epoch_end();
}

/// Whether there is a text, and updates since the last validation.
bool Trainer::can_be_validated() const {
  return !task_.validation.empty() && state_.step > 0 && validated_step(state_) != state_.step;
}

/// A resumed run may have died while it validated its checkpoint.
bool Trainer::validation_is_due() const {
  return can_be_validated() && due(options_.train.validate_every);
}

/// Begins to write a checkpoint, unless this step has one. \param tell whether the log says when it
/// is complete
void Trainer::save(bool tell) {
  if (saved_step_ == state_.step) return;
  finish_save();  // two copies of the state are never in memory
  align_training(group_, parts());
  state_.seconds = clock_.seconds();
  state_.cpu_seconds = clock_.cpu_seconds();
  saved_step_ = state_.step;
  if (!store_) return;
  tell_saved_ = tell;
  const auto snapshot = std::make_shared<const TrainingSnapshot>(take_snapshot(parts()));
  saving_.start([this, snapshot] { save_training(*store_, workers_.model(), *snapshot); });
}

/// Waits until the checkpoint of `saved_step_` is complete. \throws DataError if it was not written
void Trainer::finish_save() {
  saving_.finish();
  if (report_ && std::exchange(tell_saved_, false)) report_->saved(saved_step_);
}

void Trainer::validate() {
  const auto before = clock_.seconds();
  if (report_) report_->validating();
  std::optional<ValidationResult> result;
  {
    const UseAveragedWeights averaged(workers_.weights(), average_);
    result = task_.validation.measure(workers_, group_);
  }
  const auto seconds = clock_.seconds() - before;
  finish_save();  // what is validated is on the disk before anything says how good it is
  clock_.lap();   // the window's time is that of its updates
  if (result)
    note_validation(
        state_, validation_record(state_.step, result->values, due(options_.train.validate_every)),
        options_.train.early_stopping_metric);
  state_.seconds = clock_.seconds();
  state_.cpu_seconds = clock_.cpu_seconds();
  if (report_) report_->validated(result, seconds);
  if (result && store_) save_validation(*store_, state_);
}

/// Whether the training ends here, on all ranks: by the signals that any of them received, and the
/// clock of rank 0.
std::optional<TrainingEnd> Trainer::agree_on_end() const {
  constexpr auto signals = StopSignal::signals;
  std::array<double, signals.size() + 1> seen{};
  for (std::size_t i = 0; i < signals.size(); ++i)
    seen[i] = StopSignal::received() == signals[i] ? 1.0 : 0.0;
  if (group_.rank() == 0) seen.back() = clock_.seconds();
  sum(group_, seen);
  for (std::size_t i = 0; i < signals.size(); ++i)
    if (seen[i] > 0.0) return stopped_by(signals[i]);
  return reached_limit(options_.train, state_, seen.back());
}

TrainingFacts Trainer::facts() {
  return {.parameters = parameters_in(task_.model->module()),
          .examples = static_cast<std::int64_t>(task_.examples.size()),
          .unit = task_.unit,
          .updates_per_epoch = stream_->updates_per_epoch(),
          .device = device_of(task_.model->module()).str(),
          .workers = share_.all,
          .threads = share_.threads,
          .ranks = group_.size()};
}

}  // namespace dragoman
