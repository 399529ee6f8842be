#include "dragoman/train/trainer.h"

#include "dragoman/checkpoint/parameters.h"
#include "dragoman/checkpoint/tensor_file.h"
#include "dragoman/config/parse.h"
#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "dragoman/core/log.h"
#include "dragoman/core/process_usage.h"
#include "dragoman/model/flops.h"
#include "dragoman/tensor/device.h"
#include "dragoman/tensor/random_stream.h"
#include "dragoman/train/limits.h"
#include "dragoman/train/records.h"
#include "dragoman/train/schedule.h"
#include "dragoman/train/stop_signal.h"
#include "dragoman/translate/run.h"

#include <torch/cuda.h>

#include <algorithm>
#include <cmath>

namespace dragoman {

namespace {

std::uint64_t as_seed(std::int64_t seed) { return static_cast<std::uint64_t>(seed); }

Transformer make_model(const RunOptions& options, const TrainingData& data, const at::Device& device) {
  torch::manual_seed(as_seed(options.seed));
  Transformer model(options.model,
                    VocabularySizes{.source = data.vocabulary.source.vocab_size(),
                                    .target = data.vocabulary.target.vocab_size()});
  model->to(device);
  return model;
}

LabelSmoothing smoothing_of(const RunOptions& options, const TrainingData& data) {
  return {.eps = options.train.label_smoothing,
          .kind = options.train.label_smoothing_kind,
          .pad = data.vocabulary.target.special().pad};
}

StreamOptions stream_options(const RunOptions& options, const TrainingData& data,
                             std::int64_t workers) {
  return {.limits = {.tokens = options.train.batch_tokens, .sentences = options.train.max_sentences},
          .shares = data.shares,
          .accumulate = options.train.accumulate,
          .shards = workers,
          .prefetch = options.data.prefetch,
          .seed = as_seed(options.seed),
          .source_special = data.vocabulary.source.special(),
          .target_special = data.vocabulary.target.special()};
}

/// Floating-point operations of an update: three times the forward pass of each real sentence.
double update_flops(const UpdateData& update, const TransformerImpl& model) {
  double flops = 0.0;
  for (const auto& [source_len, target_len] : update.lengths)
    flops += 3.0 * forward_flops(model.options(), model.vocabulary().target, source_len, target_len);
  return flops;
}

}  // namespace

Trainer::Trainer(const RunOptions& options, const TrainingData& data,
                 const std::filesystem::path& run_dir, const std::optional<Checkpoint>& checkpoint)
    : options_(options),
      data_(data),
      run_dir_(run_dir),
      device_(find_device(options.train.device)),
      workers_(worker_count(device_, options.train.workers)),
      replicas_(make_model(options, data, device_), options, workers_, smoothing_of(options, data)),
      adam_(replicas_.parameters().values(), options.train),
      validation_(data, options, workers_),
      store_(run_dir, options.train.keep_checkpoints) {
  if (options_.train.ema_decay > 0.0) average_ = replicas_.parameters().values().clone();
  state_.identity = data_.facts;
  if (checkpoint) resume(*checkpoint);
  state_.identity["workers"] = workers_;
  log_.emplace(run_dir_, state_.step, options_.train.tensorboard);
  stream_.emplace(data_.train, stream_options(options_, data_, workers_), state_.position);
  if (!checkpoint) save();
}

void Trainer::resume(const Checkpoint& checkpoint) {
  const auto place = checkpoint.path / "state.json";
  state_ = training_state_from(nlohmann::json::parse(read_file(place)), place.string());
  ++state_.restarts;
  seconds_before_ = state_.seconds;
  window_began_ = state_.seconds;
  saved_step_ = state_.step;
  if (state_.identity.value("workers", workers_) != workers_)
    log_warning(concat("the run had ", state_.identity.value("workers", workers_), " workers and goes on with ",
                       workers_, ": its numbers will differ in the last bits"));

  load_parameters(*replicas_.model(), checkpoint.path / "model.safetensors");
  const auto optimizer_file = checkpoint.path / "optimizer.safetensors";
  auto tensors = load_tensors(optimizer_file);
  const auto restore = [&](const std::string& kind, at::Tensor& flat) {
    for (auto& [name, view] : replicas_.parameters().named(flat)) {
      const auto found = tensors.find(concat(kind, ".", name));
      if (found == tensors.end() || found->second.sizes() != view.sizes())
        throw FormatError(concat(optimizer_file.string(), ": ", kind, ".", name,
                                 " is missing or of another shape"));
      view.copy_(found->second);
    }
  };
  restore("first_moment", adam_.first_moment());
  restore("second_moment", adam_.second_moment());
  if (average_.defined()) {
    average_.copy_(replicas_.parameters().values());
    restore("parameter", replicas_.parameters().values());
  }
  adam_.set_steps(state_.step);
}

void Trainer::save() {
  state_.seconds = elapsed();
  auto& parameters = replicas_.parameters();
  NamedTensors optimizer;
  const auto add = [&](const std::string& kind, const at::Tensor& flat) {
    for (const auto& [name, view] : parameters.named(flat))
      optimizer[concat(kind, ".", name)] = view;
  };
  add("first_moment", adam_.first_moment());
  add("second_moment", adam_.second_moment());
  at::Tensor raw;
  if (average_.defined()) {
    // What translates is the average; the weights under training go with the optimizer.
    raw = parameters.values().clone();
    add("parameter", raw);
    parameters.values().copy_(average_);
  }
  store_.save(state_.step, [&](CheckpointWriter& writer) {
    write_model(writer, options_, *replicas_.model(), data_.vocabulary);
    write_tensors(writer, "optimizer.safetensors", optimizer);
    writer.write("state.json", to_json(state_).dump(1) + "\n");
  });
  if (raw.defined()) parameters.values().copy_(raw);
  for (const auto& [metric, best] : state_.best)
    if (best.step == state_.step) store_.mark_best(metric, best.step);
  store_.retain();
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
  if (device_.is_cuda()) torch::cuda::manual_seed_all(key);
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
  adam_.step(replicas_.gradient(), learning_rate(options_.train, options_.model.d_model, state_.step));
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
  log_->write({{"event", "skipped"}, {"step", state_.step}, {"loss", loss}, {"gradient_norm", norm},
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
  log_->write(window_record(state_, moment));
  if (!has_live_line()) log_info(window_line(state_, moment));
  state_.window = {};
  window_began_ = moment.seconds;
}

void Trainer::show_progress(double norm) {
  if (has_live_line() && state_.window.tokens > 0) live_line(window_line(state_, now(norm)));
}

void Trainer::validate() {
  const auto before = elapsed();
  at::Tensor raw;
  if (average_.defined()) {
    raw = replicas_.parameters().values().clone();
    replicas_.parameters().values().copy_(average_);
  }
  const auto values = validation_.measure(replicas_);
  if (raw.defined()) replicas_.parameters().values().copy_(raw);
  note_best(values);
  auto record = validation_record(state_.step, values);
  state_.validations.push_back(record);
  record["seconds"] = elapsed() - before;
  log_->write(record);
  log_info(validation_line(state_.step, values));
  window_began_ += elapsed() - before;
}

void Trainer::note_best(const std::map<std::string, double>& values) {
  bool gained = false;
  for (const auto& [name, value] : values) {
    const auto metric = nlohmann::json(name).get<ValidationMetric>();
    if (nlohmann::json(metric) != name) continue;  // not one of those a user may choose
    const auto best = state_.best.find(name);
    if (best != state_.best.end() && !is_better(metric, value, best->second.value)) continue;
    state_.best[name] = {.value = value, .step = state_.step};
    gained = gained || metric == options_.train.early_stopping_metric;
  }
  state_.validations_without_gain = gained ? 0 : state_.validations_without_gain + 1;
}

std::optional<TrainingEnd> Trainer::ended() const {
  if (const int signal = StopSignal::received(); signal != 0)
    return TrainingEnd{.reason = concat("signal ", signal, " received"), .signal = signal};
  if (auto limit = reached_limit(options_.train, state_, elapsed())) return TrainingEnd{.reason = *limit};
  return std::nullopt;
}

void Trainer::write_start() {
  std::int64_t parameters = 0;
  for (const auto& parameter : replicas_.model()->parameters()) parameters += parameter.numel();
  log_->write({{"event", "start"}, {"step", state_.step}, {"restarts", state_.restarts}, {"parameters", parameters},
               {"device", device_.str()}, {"workers", workers_}, {"seed", options_.seed},
               {"updates_per_epoch", stream_->updates_per_epoch()}});
  log_info(concat(state_.step == 0 ? "training" : concat("going on from step ", state_.step), ": ", parameters,
                  " parameters, ", data_.train.size(), " pairs, ", stream_->updates_per_epoch(),
                  " updates an epoch, ", device_.str(), ", ", workers_, " workers"));
}

void Trainer::write_end(const TrainingEnd& end) {
  const auto& parts = replicas_.seconds();
  log_->write({{"event", end.signal == 0 ? "end" : "stopped"}, {"step", state_.step}, {"reason", end.reason}, {"seconds", elapsed()},
               {"sentences", state_.sentences}, {"target_tokens", state_.target_tokens},
               {"flops", state_.flops}, {"peak_memory_mb", peak_memory_mb()}, {"skipped", state_.skipped},
               {"data_seconds", parts.data}, {"device", device_descriptions().front()}});
  live_line("");
  log_info(concat("ended at step ", state_.step, ": ", end.reason, "; ", duration_text(elapsed()), ", ",
                  state_.target_tokens, " target tokens, ", state_.flops, " FLOPs, waiting for data ",
                  rounded(100.0 * parts.data / std::max(elapsed() - seconds_before_, 1e-9), 2), " % of the time"));
  for (const auto& [metric, best] : state_.best)
    log_info(concat("best ", metric, " ", rounded(best.value, 4), " at step ", best.step));
}

double Trainer::elapsed() const {
  if (started_ == std::chrono::steady_clock::time_point{}) return seconds_before_;
  return seconds_before_ + std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
}

}  // namespace dragoman
