#include "dragoman/train/trainer.h"

#include "dragoman/core/file.h"
#include "dragoman/distributed/single.h"
#include "dragoman/optimizer/schedule.h"
#include "dragoman/run/parameters.h"
#include "dragoman/run/tensor_file.h"
#include "dragoman/tensor/random_stream.h"
#include "support/close.h"
#include "support/devices.h"
#include "support/temporary_directory.h"
#include "support/training.h"

#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <sstream>

// Training on other devices than the CPU, which are told the next update before the result of the
// last one is read.
namespace dragoman::device_training_test {

namespace {

/// One weight that is drawn to 3; the updates whose numbers are in `broken` have a loss that is not
/// a number, however often they are computed.
class OneWeight final : public Trainable {
 public:
  OneWeight(const c10::Device& device, std::set<std::size_t> numbers)
      : broken_(std::move(numbers)), device_(device) {
    module_->weight.data().fill_(1.0);
    module_->to(device);
  }

  torch::nn::Module& module() override { return *module_; }
  at::Tensor forward(const Batch& batch) override {
    return module_->weight.flatten().expand({batch.target_tokens});
  }
  Loss loss(const at::Tensor& hidden, const Batch& batch) override {
    double factor = 1.0;
    if (at::GradMode::is_enabled()) {
      const auto number =
          numbers_.emplace(random_position().key, numbers_.size() + 1).first->second;
      if (broken_.contains(number)) factor = std::nan("");
      ++computed;
    }
    const auto sum = (hidden - 3.0).pow(2).sum() * factor;
    const auto none = torch::zeros_like(sum);
    const auto sums = torch::stack({sum.detach(), sum.detach(), none, none});
    return {.sum = sum, .sums = sums.to(torch::kFloat64), .tokens = batch.target_tokens};
  }
  void recompute(const TrainOptions&) override {}
  std::unique_ptr<Trainable> replica() const override {
    return std::make_unique<OneWeight>(device_, broken_);
  }
  void write(CheckpointWriter& writer, const NamedTensors& weights) const override {
    write_tensors(writer, model_file, weights);
  }

  std::size_t computed = 0;  ///< updates

 private:
  std::set<std::size_t> broken_;
  c10::Device device_;
  std::map<std::uint64_t, std::size_t> numbers_;  ///< of the updates, by their random numbers
  torch::nn::Linear module_{torch::nn::LinearOptions(1, 1).bias(false)};
};

/// What a training leaves behind, without its times.
struct Left {
  std::vector<std::string> records;
  std::map<std::string, std::string> files;     ///< of its checkpoints
  std::map<std::string, NamedTensors> tensors;  ///< in those files
};

nlohmann::json without_times(const nlohmann::json& record) {
  auto kept = record;
  for (const auto& [key, value] : record.items()) {
    const bool is_time = key.find("second") != std::string::npos || key == "peak_memory_mb";
    if (is_time)
      kept.erase(key);
    else if (value.is_object())
      kept[key] = without_times(value);
  }
  return kept;
}

RunOptions loop_options() {
  RunOptions options;
  options.train.batch_tokens = 6;
  options.train.workers = 1;
  options.train.schedule = Schedule::inverse_sqrt;
  options.train.learning_rate = 0.1;
  options.train.warmup_steps = 4;
  options.train.clip_norm = 1.5;
  options.train.ema_decay = 0.9;
  options.train.log_every = 1;
  options.train.max_steps = 12;
  options.train.keep_checkpoints = 100;
  return options;
}

void train(const std::filesystem::path& folder, const RunOptions& options,
           const std::shared_ptr<OneWeight>& model) {
  const std::vector<Example> examples(10, Example{.source_ids = {}, .target_ids = {5, 6, 3}});
  std::filesystem::create_directories(folder);
  CheckpointStore store(folder);
  Single alone;
  Trainer(options,
          {.model = model,
           .examples = examples,
           .stream = {.limits = {.tokens = 6}, .source_special = {}, .target_special = {}},
           .validation = Validation(validation_batches(examples, 6, {}, {}))},
          folder, store.newest_good(Damaged::skip), alone)
      .run();
}

Left left_in(const std::filesystem::path& folder) {
  Left left;
  std::istringstream lines(read_file(folder / "train.jsonl"));
  for (std::string line; std::getline(lines, line);) {
    const auto record = nlohmann::json::parse(line);
    const std::string event = record.at("event");
    if (event == "train" || event == "skipped" || event == "validation" || event == "update")
      left.records.push_back(without_times(record).dump());
  }
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder / "checkpoints")) {
    if (!entry.is_regular_file() || entry.path().filename() == "manifest.json") continue;
    const auto name = std::filesystem::relative(entry.path(), folder).string();
    if (entry.path().filename() == "state.json" || entry.path().filename() == "validation.json") {
      left.files[name] = without_times(nlohmann::json::parse(read_file(entry.path()))).dump();
    } else if (entry.path().extension() == ".safetensors") {
      left.files[name] = read_file(entry.path());
    }
    if (entry.path().extension() == ".safetensors") left.tensors[name] = load_tensors(entry.path());
  }
  return left;
}

void check_same(const NamedTensors& actual, const NamedTensors& expected) {
  REQUIRE(actual.size() == expected.size());
  for (const auto& [name, tensor] : expected) {
    CAPTURE(name);
    REQUIRE(actual.contains(name));
    CHECK_THAT(actual.at(name), test::close_to(tensor, {1e-5, 1e-6}));
  }
}

/// \param exact whether all bytes are equal; else numbers may differ by rounding
void check_same(const Left& actual, const Left& expected, bool exact) {
  REQUIRE(actual.records.size() == expected.records.size());
  for (std::size_t i = 0; i < expected.records.size(); ++i) {
    const auto found = nlohmann::json::parse(actual.records[i]).flatten();
    const auto wanted = nlohmann::json::parse(expected.records[i]).flatten();
    REQUIRE(found.size() == wanted.size());
    for (const auto& [key, value] : wanted.items()) {
      CAPTURE(i, key);
      if (exact || !value.is_number_float())
        CHECK(found.at(key) == value);
      else
        CHECK(found.at(key).get<double>() == test::Approx(value.get<double>()).epsilon(1e-5));
    }
  }
  REQUIRE(actual.files.size() == expected.files.size());
  for (const auto& [name, bytes] : expected.files) {
    CAPTURE(name);
    REQUIRE(actual.files.contains(name));
    if (exact)
      CHECK((actual.files.at(name) == bytes));
    else if (expected.tensors.contains(name))
      check_same(actual.tensors.at(name), expected.tensors.at(name));
  }
}

}  // namespace

TEST_CASE("a training that reads each result one update late leaves what one that waits does",
          "[property]") {
  const std::vector<std::set<std::size_t>> all = {{},        {1}, {3},    {2, 3},
                                                  {4, 5, 6}, {5}, {7, 9}, {12}};
  for (const auto& device : test::other_devices())
    for (const std::int64_t every : {0, 2, 3})
      for (const auto& broken : all) {
        const test::TemporaryDirectory folder;
        CAPTURE(device.str(), every, broken);
        auto options = loop_options();
        options.train.checkpoint_every = every;
        options.train.validate_every = every == 3 ? 4 : 0;
        train(folder / "waits", options, std::make_shared<OneWeight>(c10::kCPU, broken));
        train(folder / "ahead", options, std::make_shared<OneWeight>(device, broken));
        check_same(left_in(folder / "ahead"), left_in(folder / "waits"),
                   device == test::remote_device());
      }
}

TEST_CASE("an update in flight is computed again only after one that was skipped", "[unit]") {
  for (const auto& device : test::other_devices()) {
    const test::TemporaryDirectory folder;
    auto options = loop_options();
    options.train.max_epochs = 1;  // of five updates
    const auto whole = std::make_shared<OneWeight>(device, std::set<std::size_t>{});
    train(folder / "whole", options, whole);
    CHECK(whole->computed == 5);
    const auto broken = std::make_shared<OneWeight>(device, std::set<std::size_t>{2});
    train(folder / "broken", options, broken);
    CHECK(broken->computed == 6);
  }
}

TEST_CASE("a training on a device resumes to the same bytes", "[property]") {
  for (const auto& device : test::other_devices()) {
    const test::TemporaryDirectory folder;
    auto options = loop_options();
    options.train.checkpoint_every = 3;
    const auto model = [&] { return std::make_shared<OneWeight>(device, std::set<std::size_t>{}); };
    train(folder / "once", options, model());
    options.train.max_steps = 7;
    train(folder / "twice", options, model());
    options.train.max_steps = 12;
    train(folder / "twice", options, model());
    const auto name = std::filesystem::path("checkpoints") / checkpoint_name(12);
    for (const char* file : {"model.safetensors", "optimizer.safetensors"})
      CHECK(
          (read_file(folder / "twice" / name / file) == read_file(folder / "once" / name / file)));
  }
}

TEST_CASE("updates of a Transformer on a device are those on the CPU", "[property]") {
  constexpr std::int64_t vocab_size = 19;
  const auto options = [] {
    auto small = test::small_model_options(/*dropout=*/0.0);
    small.train.clip_norm = 1.0;
    small.train.ema_decay = 0.9;
    return small;
  }();
  const auto examples = test::random_examples(12, vocab_size, 5);
  const auto batch = test::batch_of(examples);
  const UpdateData data{.shards = {{batch}}, .counts = {}, .next = {}};
  const auto settings = [](std::int64_t step) {
    return UpdateSettings{.learning_rate = 0.01 / static_cast<double>(step),
                          .clip_norm = 1.0,
                          .key = static_cast<std::uint64_t>(step)};
  };
  for (const auto& device : test::other_devices()) {
    auto expected =
        test::workers_of(test::seeded_model(options, vocab_size, torch::kFloat64), options, 1);
    Adam expected_adam(expected.weights(), options.train);
    WeightAverage expected_average(expected.weights(), options.train.ema_decay);
    auto model = test::seeded_model(options, vocab_size, torch::kFloat64);
    model->to(device);
    auto workers = test::workers_of(model, options, 1);
    Adam adam(workers.weights(), options.train);
    WeightAverage average(workers.weights(), options.train.ema_decay);
    for (std::int64_t step = 1; step <= 4; ++step) {
      CAPTURE(device.str(), step);
      const auto waited =
          update({.workers = expected, .adam = expected_adam, .average = expected_average}, data,
                 settings(step));
      const auto started = start_update({.workers = workers, .adam = adam, .average = average},
                                        data, settings(step), nullptr);
      const auto result = result_of(started);
      CHECK(result.applied);
      CHECK(result.sums.loss.loss == test::Approx(waited.sums.loss.loss).epsilon(1e-6));
      CHECK(result.sums.loss.tokens == waited.sums.loss.tokens);
      CHECK(result.gradient_norm == test::Approx(waited.gradient_norm).epsilon(1e-6));
      CHECK_THAT(workers.weights().cpu(), test::close_to(expected.weights(), {1e-6, 1e-8}));
      CHECK_THAT(average.values().cpu(), test::close_to(expected_average.values(), {1e-6, 1e-8}));
    }
    const auto evaluated = workers.evaluate({batch}).value();
    CHECK(evaluated.nll == test::Approx(expected.evaluate({batch}).value().nll).epsilon(1e-6));
  }
}

TEST_CASE("updates with bf16 products on a device are those of float32 within rounding",
          "[property]") {
  constexpr std::int64_t vocab_size = 19;
  auto options = test::small_model_options(/*dropout=*/0.0);
  const auto batch = test::batch_of(test::random_examples(12, vocab_size, 5));
  const UpdateData data{.shards = {{batch}}, .counts = {}, .next = {}};
  for (const auto& device : test::other_devices()) {
    CAPTURE(device.str());
    options.train.precision = Precision::float32;
    auto expected = test::workers_of(test::seeded_model(options, vocab_size), options, 1);
    Adam expected_adam(expected.weights(), options.train);
    options.train.precision = Precision::bf16;
    auto model = test::seeded_model(options, vocab_size);
    model->to(device);
    auto workers = test::workers_of(model, options, 1);
    Adam adam(workers.weights(), options.train);
    WeightAverage none(expected.weights(), 0.0);
    const auto begun = workers.weights().cpu();
    for (std::int64_t step = 1; step <= 3; ++step) {
      CAPTURE(step);
      const UpdateSettings settings{.learning_rate = 1e-3, .key = static_cast<std::uint64_t>(step)};
      const auto waited =
          update({.workers = expected, .adam = expected_adam, .average = none}, data, settings);
      const auto result = result_of(start_update(
          {.workers = workers, .adam = adam, .average = none}, data, settings, nullptr));
      CHECK(result.applied);
      CHECK(result.sums.loss.loss != waited.sums.loss.loss);
      CHECK(result.sums.loss.loss == test::Approx(waited.sums.loss.loss).epsilon(0.01));
      CHECK(result.gradient_norm == test::Approx(waited.gradient_norm).epsilon(0.03));
      CHECK(workers.weights().scalar_type() == torch::kFloat32);
    }
    const auto moved = workers.weights().cpu() - begun, wanted = expected.weights() - begun;
    CHECK(wanted.norm().item<double>() > 0.01);
    CHECK(((moved - wanted).norm() / wanted.norm()).item<double>() < 0.3);
    // The products of an evaluation read what the updates have made of the weights.
    const auto evaluated = workers.evaluate({batch}).value();
    CHECK(evaluated.nll == test::Approx(expected.evaluate({batch}).value().nll).epsilon(0.01));
  }
}

}  // namespace dragoman::device_training_test
