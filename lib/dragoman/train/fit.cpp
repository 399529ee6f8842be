#include "dragoman/train/fit.h"

#include "dragoman/config/parse.h"
#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "dragoman/core/regular_file.h"
#include "dragoman/core/thread.h"
#include "dragoman/data/stream.h"
#include "dragoman/run/checkpoint_store.h"
#include "dragoman/run/parameters.h"
#include "dragoman/run/run_lock.h"
#include "dragoman/storage/sha256.h"
#include "dragoman/tensor/autocast.h"
#include "dragoman/tensor/device.h"
#include "dragoman/tensor/random_stream.h"
#include "dragoman/train/limits.h"
#include "dragoman/train/optimizer_file.h"
#include "dragoman/train/same_run.h"
#include "dragoman/train/schedule.h"
#include "dragoman/train/stop_signal.h"
#include "dragoman/train/training_clock.h"
#include "dragoman/train/training_report.h"

#include <torch/cuda.h>

#include <cmath>

namespace dragoman {

namespace {

torch::nn::Module& moved(torch::nn::Module& module, const at::Device& device) {
  module.to(device);
  return module;
}

StreamOptions fit_stream_options(const RunOptions& options, const SpecialIds& special) {
  return {
      .limits = {.tokens = options.train.batch_tokens, .sentences = options.train.max_sentences},
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

/// SHA-256 of all training data.
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
        report_(run_dir, options, state_, !valid_.empty()),
        stream_(data.train, fit_stream_options(options, data.special), state_.position),
        clock_(state_.seconds),
        saved_step_(state_.step),
        examples_(std::ssize(data.train)) {
    state_.identity["train_text_sha256"] = identity_of(data);
    note_batch_order(state_.identity, checkpoint.has_value());
  }

  TrainingEnd run() {
    const StopSignal stop_signal;
    clock_.start();
    report_.start(facts());
    while (true) {
      if (const auto end = ended()) {
        if (saved_step_ != state_.step) save();
        report_.ended(*end, {clock_.seconds(), clock_.own_seconds(), waiting_});
        return *end;
      }
      update();
      const bool validate_now = !valid_.empty() && due(options_.train.validate_every);
      if (validate_now) validate();
      if (validate_now || due(options_.train.checkpoint_every)) {
        save();
        report_.saved();
      }
    }
  }

 private:
  /// Restores weights and moments. \return the rest of the state
  TrainingState resumed(const Checkpoint& checkpoint, const FitData& data,
                        const std::filesystem::path& run_dir) {
    const auto file = checkpoint.path / "state.json";
    auto state = training_state_from(nlohmann::json::parse(read_regular_file(file)), file.string());
    expect_same_text(state.identity.value("train_text_sha256", std::string()), identity_of(data),
                     run_dir);
    load_parameters(model_.module, checkpoint.path / model_file);
    read_optimizer(checkpoint.path, parameters_, adam_);
    adam_.set_steps(state.step);
    ++state.restarts;
    return state;
  }

  std::optional<TrainingEnd> ended() const {
    if (const int signal = StopSignal::received()) return stopped_by(signal);
    return reached_limit(options_.train, state_, clock_.seconds());
  }

  TrainingFacts facts() const {
    TrainingFacts facts{.examples = examples_,
                        .unit = "examples",
                        .updates_per_epoch = stream_.updates_per_epoch(),
                        .device = device_.str(),
                        .workers = at::get_num_threads()};
    for (const auto& parameter : model_.module.parameters()) facts.parameters += parameter.numel();
    return facts;
  }

  bool due(std::int64_t every) const { return every > 0 ? state_.step % every == 0 : epoch_ended_; }

  void update() {
    const double before = clock_.seconds();
    const auto data = stream_.next();
    waiting_ += clock_.seconds() - before;
    state_.position = data.next;
    epoch_ended_ = data.next.updates == 0;
    const auto key =
        mix(static_cast<std::uint64_t>(options_.seed), static_cast<std::uint64_t>(state_.step));
    if (device_.is_cuda()) torch::cuda::manual_seed_all(key);
    const RandomScope random(key);
    const auto sums = accumulate(data);
    const double norm = clip_norm(gradient_, options_.train.clip_norm);
    if (!std::isfinite(sums.loss) || !std::isfinite(norm))
      throw DataError(concat(
          "step ", state_.step + 1, ": loss ", sums.loss, ", gradient norm ", norm,
          "; lower train.learning_rate, lengthen train.warmup_steps or set train.clip_norm"));
    ++state_.step;
    adam_.step(gradient_, rate());
    count(data, sums);
    report_.updated({.epoch = state_.position.epoch + (epoch_ended_ ? 0 : 1),
                     .learning_rate = rate(),
                     .gradient_norm = norm,
                     .seconds = clock_.seconds()});
    if (state_.step % options_.train.log_every == 0) state_.window = {};
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
    window.seconds += clock_.lap();
    state_.sentences += data.sentences;
    state_.target_tokens += sums.tokens;
  }

  void validate() {
    const double before = clock_.seconds();
    report_.validating();
    const torch::NoGradGuard no_gradient;
    model_.module.eval();
    PassSums sums;
    for (const auto& batch : valid_) {
      const auto loss = loss_of(batch);
      sums.add({loss.sum.item<double>(), loss.nll, loss.correct, loss.tokens});
    }
    const auto tokens = static_cast<double>(sums.tokens);
    const MetricValues values{{"loss", sums.loss / tokens},
                              {"perplexity", std::exp(sums.nll / tokens)},
                              {"accuracy", static_cast<double>(sums.correct) / tokens}};
    note_validation(state_, values, options_.train.early_stopping_metric);
    state_.validations.push_back(validation_record(state_.step, values));
    report_.validated({.values = values}, clock_.seconds() - before);
    clock_.lap();  // the window's time is that of its updates
  }

  void save() {
    state_.seconds = clock_.seconds();
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

  const FitModel& model_;
  const RunOptions& options_;
  at::Device device_;
  FlatParameters parameters_;
  at::Tensor gradient_;
  Adam adam_;
  std::vector<Batch> valid_;
  TrainingState state_;
  CheckpointStore store_;
  TrainingReport report_;
  TrainingStream stream_;
  TrainingClock clock_;
  double waiting_ = 0.0;  ///< seconds of this process that waited for data
  bool epoch_ended_ = false;
  std::int64_t saved_step_;
  std::int64_t examples_;
};

}  // namespace

void expect_fit_options(const RunOptions& options) {
  options.validate();
  if (options.train.ema_decay > 0.0)
    throw OptionsError("train.ema_decay: is for 'dragoman train' only; leave it at 0");
  if (options.data.subword_sampling > 0.0 || options.data.token_dropout > 0.0)
    throw OptionsError(
        "data.subword_sampling, data.token_dropout: are for 'dragoman train' only; leave them at "
        "0");
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
    expect_threads(options.train.workers);  // LibTorch ends the process if one is refused
    at::set_num_threads(static_cast<int>(options.train.workers));
  }
  return Fit(model, data, options, run_dir, checkpoint).run();
}

}  // namespace dragoman
