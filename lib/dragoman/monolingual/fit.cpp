#include "dragoman/monolingual/fit.h"

#include "dragoman/checkpoint/parameters.h"
#include "dragoman/config/parse.h"
#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "dragoman/core/log.h"
#include "dragoman/core/regular_file.h"
#include "dragoman/core/thread.h"
#include "dragoman/data/stream.h"
#include "dragoman/storage/checkpoint_store.h"
#include "dragoman/storage/run_lock.h"
#include "dragoman/storage/sha256.h"
#include "dragoman/tensor/autocast.h"
#include "dragoman/tensor/device.h"
#include "dragoman/tensor/random_stream.h"
#include "dragoman/train/limits.h"
#include "dragoman/train/optimizer_file.h"
#include "dragoman/train/same_run.h"
#include "dragoman/train/schedule.h"
#include "dragoman/train/stop_signal.h"

#include <torch/cuda.h>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace dragoman {

namespace {

torch::nn::Module& moved(torch::nn::Module& module, const at::Device& device) {
  module.to(device);
  return module;
}

StreamOptions fit_stream_options(const RunOptions& options, const SpecialIds& special) {
  return {.limits = {.tokens = options.train.batch_tokens, .sentences = options.train.max_sentences},
          .accumulate = options.train.accumulate,
          .prefetch = options.data.prefetch,
          .seed = static_cast<std::uint64_t>(options.seed),
          .source_special = special,
          .target_special = special};
}

std::vector<Batch> validation_batches(const FitData& data, const RunOptions& options) {
  std::vector<Batch> batches;
  if (data.valid.empty()) return batches;
  for (const auto& indices : plan_batches(data.valid, {.tokens = options.train.batch_tokens}, 0)) {
    std::vector<const Example*> examples;
    for (const auto index : indices) examples.push_back(&data.valid[index]);
    batches.push_back(make_batch(examples, data.special, data.special));
  }
  return batches;
}

/// SHA-256 of all that is learned from.
std::string identity_of(const FitData& data) {
  Sha256 hash;
  const auto add = [&hash](const std::vector<std::int32_t>& ids) {
    const auto size = static_cast<std::int64_t>(ids.size());
    hash.update({reinterpret_cast<const char*>(&size), sizeof size});
    hash.update({reinterpret_cast<const char*>(ids.data()), ids.size() * sizeof(std::int32_t)});
  };
  for (const auto& example : data.train) add(example.source_ids), add(example.target_ids);
  return hash.hex_digest();
}

class Fit {
 public:
  Fit(const FitModel& model, const FitData& data, const RunOptions& options,
      const std::filesystem::path& run_dir, const std::optional<Checkpoint>& checkpoint)
      : model_(model),
        options_(options),
        device_(find_device(options.train.device)),
        parameters_(moved(model.module, device_)),
        gradient_(parameters_.attach(model.module)),
        adam_(parameters_.values(), options.train),
        valid_(validation_batches(data, options)),
        state_(checkpoint ? resumed(*checkpoint, data, run_dir) : TrainingState{}),
        store_(run_dir, options.train.keep_checkpoints),
        log_(run_dir, state_.step, options.train.tensorboard),
        stream_(data.train, fit_stream_options(options, data.special), state_.position),
        seconds_before_(state_.seconds),
        window_began_(state_.seconds),
        saved_step_(state_.step) {
    state_.identity["train_text_sha256"] = identity_of(data);
    note_batch_order(state_.identity, checkpoint.has_value());
  }

  TrainingEnd run() {
    const StopSignal stop_signal;
    while (true) {
      if (const auto end = ended()) {
        if (saved_step_ != state_.step) save();
        log_info(concat("ended at step ", state_.step, ": ", end->reason, "; ", duration_text(elapsed())));
        return *end;
      }
      update();
      const bool validate_now = !valid_.empty() && due(options_.train.validate_every);
      if (validate_now) validate();
      if (validate_now || due(options_.train.checkpoint_every)) save();
    }
  }

 private:
  /// Weights and moments as they were; \return all else
  TrainingState resumed(const Checkpoint& checkpoint, const FitData& data, const std::filesystem::path& run_dir) {
    const auto file = checkpoint.path / "state.json";
    auto state = training_state_from(nlohmann::json::parse(read_regular_file(file)), file.string());
    expect_same_text(state.identity.value("train_text_sha256", std::string()), identity_of(data), run_dir);
    load_parameters(model_.module, checkpoint.path / "model.safetensors");
    read_optimizer(checkpoint.path, parameters_, adam_);
    adam_.set_steps(state.step);
    ++state.restarts;
    log_info(concat(run_dir.string(), ": goes on at step ", state.step));
    return state;
  }

  std::optional<TrainingEnd> ended() const {
    if (const int signal = StopSignal::received())
      return TrainingEnd{.reason = concat("signal ", signal, " received"), .signal = signal};
    if (auto limit = reached_limit(options_.train, state_, elapsed())) return TrainingEnd{.reason = *limit};
    return std::nullopt;
  }

  bool due(std::int64_t every) const { return every > 0 ? state_.step % every == 0 : epoch_ended_; }

  void update() {
    const auto data = stream_.next();
    state_.position = data.next;
    epoch_ended_ = data.next.updates == 0;
    const auto key = mix(static_cast<std::uint64_t>(options_.seed), static_cast<std::uint64_t>(state_.step));
    if (device_.is_cuda()) torch::cuda::manual_seed_all(key);
    const RandomScope random(key);
    const auto sums = accumulate(data);
    const double norm = clip_norm(gradient_, options_.train.clip_norm);
    if (!std::isfinite(sums.loss) || !std::isfinite(norm))
      throw DataError(concat("step ", state_.step + 1, ": loss ", sums.loss, ", gradient norm ", norm,
                             "; lower train.learning_rate, lengthen train.warmup_steps or set train.clip_norm"));
    ++state_.step;
    adam_.step(gradient_, rate());
    count(data, sums);
    if (state_.step % options_.train.log_every == 0) log_window(norm);
  }

  /// The gradient of the mean loss over all targets of the update.
  PassSums accumulate(const UpdateData& data) {
    const double scale = 1.0 / static_cast<double>(data.target_tokens);
    model_.module.train();
    gradient_.zero_();
    PassSums sums;
    for (const auto& batch : data.shards.front()) {
      const auto loss = loss_of(batch);
      (loss.sum * scale).backward();
      sums.add({loss.sum.item<double>(), loss.nll, loss.correct, loss.tokens});
    }
    return sums;
  }

  Loss loss_of(const Batch& batch) const {
    const Autocast autocast(device_, options_.train.precision);
    return model_.loss(on_device(batch, device_));
  }

  void count(const UpdateData& data, const PassSums& sums) {
    auto& window = state_.window;
    window.loss += sums.loss;
    window.nll += sums.nll;
    window.correct += sums.correct;
    window.tokens += sums.tokens;
    window.source_tokens += data.source_tokens;
    window.padding += data.padding;
    ++window.updates;
    state_.sentences += data.sentences;
    state_.target_tokens += sums.tokens;
  }

  void log_window(double norm) {
    const double seconds = elapsed();
    const auto done = static_cast<double>(state_.step);
    const Moment moment{.epoch = state_.position.epoch + (epoch_ended_ ? 0 : 1),
                        .learning_rate = rate(),
                        .gradient_norm = norm,
                        .seconds = seconds,
                        .window_seconds = seconds - window_began_,
                        .seconds_left = seconds_left(options_.train, state_, seconds, seconds / done,
                                                     stream_.updates_per_epoch())};
    log_.write(window_record(state_, moment));
    log_info(window_line(state_, moment));
    state_.window = {};
    window_began_ = seconds;
  }

  void validate() {
    const double before = elapsed();
    const torch::NoGradGuard no_gradient;
    model_.module.eval();
    PassSums sums;
    for (const auto& batch : valid_) {
      const auto loss = loss_of(batch);
      sums.add({loss.sum.item<double>(), loss.nll, loss.correct, loss.tokens});
    }
    const auto tokens = static_cast<double>(sums.tokens);
    const std::map<std::string, double> values{{"loss", sums.loss / tokens},
                                               {"perplexity", std::exp(sums.nll / tokens)},
                                               {"accuracy", static_cast<double>(sums.correct) / tokens}};
    note_validation(state_, values, options_.train.early_stopping_metric);
    state_.validations.push_back(validation_record(state_.step, values));
    log_.write(state_.validations.back());
    log_info(validation_line(state_.step, values));
    window_began_ += elapsed() - before;
  }

  void save() {
    state_.seconds = elapsed();
    store_.save(state_.step, [this](CheckpointWriter& writer) {
      model_.write_checkpoint(writer);
      write_optimizer(writer, parameters_, adam_);
      writer.write("state.json", to_json(state_).dump(1) + "\n");
    });
    for (const auto& [metric, best] : state_.best)
      if (best.step == state_.step) store_.mark_best(metric, best.step);
    store_.retain();
    saved_step_ = state_.step;
  }

  double rate() const { return learning_rate(options_.train, options_.model.d_model, state_.step); }

  double elapsed() const {
    return seconds_before_ + std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
  }

  const FitModel& model_;
  const RunOptions& options_;
  at::Device device_;
  FlatParameters parameters_;
  at::Tensor gradient_;
  Adam adam_;
  std::vector<Batch> valid_;
  TrainingState state_;
  CheckpointStore store_;
  TrainLog log_;
  TrainingStream stream_;
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  double seconds_before_;  ///< of training before this process
  double window_began_;    ///< `elapsed` at the last line of the log
  bool epoch_ended_ = false;
  std::int64_t saved_step_;
};

}  // namespace

void expect_fit_options(const RunOptions& options) {
  options.validate();
  if (options.train.ema_decay > 0.0)
    throw OptionsError("train.ema_decay: is for 'dragoman train' only; leave it at 0");
  if (options.data.subword_sampling > 0.0 || options.data.token_dropout > 0.0)
    throw OptionsError("data.subword_sampling, data.token_dropout: are for 'dragoman train' only; leave them at 0");
  const auto metric = options.train.early_stopping_metric;
  if (metric == ValidationMetric::bleu || metric == ValidationMetric::chrf)
    throw OptionsError(concat("train.early_stopping_metric: ", nlohmann::json(metric).dump(),
                              " is for translations; choose loss, perplexity or accuracy"));
}

TrainingEnd fit(const FitModel& model, const FitData& data, const RunOptions& options,
                const std::filesystem::path& run_dir) {
  const RunLock lock(run_dir);
  CheckpointStore store(run_dir);
  store.remove_leftovers();
  const auto checkpoint = store.newest_good(Damaged::set_aside);
  if (checkpoint) expect_same_run(options, *checkpoint, run_dir);
  write_file_atomically(run_dir / "config.json", to_text(options));
  if (options.train.workers > 0) {
    expect_threads(options.train.workers);  // LibTorch's end the process where one is refused
    at::set_num_threads(static_cast<int>(options.train.workers));
  }
  std::int64_t parameters = 0;
  for (const auto& parameter : model.module.parameters()) parameters += parameter.numel();
  log_info(concat("training: ", parameters, " parameters, ", data.train.size(), " examples"));
  return Fit(model, data, options, run_dir, checkpoint).run();
}

}  // namespace dragoman
