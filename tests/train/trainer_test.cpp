#include "dragoman/train/trainer.h"

#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "dragoman/distributed/single.h"
#include "dragoman/run/loaded_run.h"
#include "dragoman/run/parameters.h"
#include "support/catch.h"
#include "support/log_taken.h"
#include "support/temporary_directory.h"
#include "support/training.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <fstream>
#include <functional>
#include <memory>
#include <set>
#include <sstream>
#include <thread>

namespace dragoman::trainer_test {

namespace {

/// One weight that is drawn to 3; the updates whose numbers are in `broken` have a loss that is not
/// a number, those in `infinite` a finite one with a gradient that is infinite, or too large to be
/// squared.
class OneWeight final : public Trainable {
 public:
  OneWeight() { module_->weight.data().fill_(1.0); }

  torch::nn::Module& module() override { return *module_; }
  at::Tensor forward(const Batch& batch) override {
    auto hidden = module_->weight.flatten().expand({batch.target_tokens});
    if (at::GradMode::is_enabled() && infinite.contains(updates + 1))
      hidden.register_hook(
          [this](const at::Tensor& gradient) { return gradient * factor_of_infinite; });
    return hidden;
  }
  Loss loss(const at::Tensor& hidden, const Batch& batch) override {
    const bool counts = at::GradMode::is_enabled();
    const double factor = counts && broken.contains(++updates) ? std::nan("") : 1.0;
    begun = updates;
    const auto sum =
        (hidden - 3.0).pow(2).sum() * (broken_validation && !counts ? std::nan("") : factor);
    return {.sum = sum,
            .sums = torch::stack({sum.detach(), sum.detach(), torch::zeros({}), torch::zeros({})})
                        .to(torch::kFloat64),
            .tokens = batch.target_tokens};
  }
  void recompute(const TrainOptions&) override {}
  std::unique_ptr<Trainable> replica() const override { return std::make_unique<OneWeight>(); }
  void write(CheckpointWriter& writer, const NamedTensors& weights) const override {
    const int number = ++writes_;
    if (before_write) before_write(number);
    write_tensors(writer, model_file, weights);
  }

  double weight() const { return module_->weight.item<double>(); }

  std::set<int> broken, infinite;
  double factor_of_infinite = HUGE_VAL;
  bool broken_validation = false;
  int updates = 0;
  std::atomic<int> begun = 0;             ///< updates, for other threads
  std::function<void(int)> before_write;  ///< called with the number of the checkpoint, from 1

 private:
  mutable int writes_ = 0;
  torch::nn::Linear module_{torch::nn::LinearOptions(1, 1).bias(false)};
};

/// Training runs of one weight on six texts in epochs of three updates, validated after each.
struct LoopRun {
  test::TemporaryDirectory folder;
  RunOptions options;
  std::vector<Example> examples{6, Example{.source_ids = {}, .target_ids = {5, 6, 3}}};

  LoopRun() {
    options.train.batch_tokens = 6;
    options.train.workers = 1;
    options.train.schedule = Schedule::constant;
    options.train.learning_rate = 0.1;
    options.train.warmup_steps = 1;
    options.train.max_steps = 6;
    options.train.log_every = 1;
  }

  TrainingState run(const std::shared_ptr<OneWeight>& model) const {
    CheckpointStore store(folder / "run");
    std::filesystem::create_directories(folder / "run");
    Single alone;
    Trainer(options,
            {.model = model,
             .examples = examples,
             .stream = {.limits = {.tokens = 6}, .source_special = {}, .target_special = {}},
             .validation = Validation(validation_batches(examples, 6, {}, {}))},
            folder / "run", store.newest_good(Damaged::skip), alone)
        .run();
    const auto newest = CheckpointStore(folder / "run").newest_good(Damaged::skip).value();
    return training_state_from(nlohmann::json::parse(read_file(newest.path / "state.json")), "");
  }

  /// The records of an event in train.jsonl.
  std::vector<nlohmann::json> records(const std::string& event) const {
    std::istringstream lines(read_file(folder / "run" / "train.jsonl"));
    std::vector<nlohmann::json> found;
    for (std::string line; std::getline(lines, line);)
      if (const auto record = nlohmann::json::parse(line); record.at("event") == event)
        found.push_back(record);
    return found;
  }
};

}  // namespace

TEST_CASE("an epoch that a skipped update ends is validated and saved, as a training is",
          "[unit]") {
  const LoopRun run;
  const auto model = std::make_shared<OneWeight>();
  model->broken = {3};
  run.run(model);
  CHECK(run.records("skipped").size() == 1);
  const auto validations = run.records("validation");
  REQUIRE(validations.size() == 3);
  CHECK(validations[0].at("step") == 2);  // three updates, of which one was skipped
  CHECK((validations[1].at("step") == 5 && validations[2].at("step") == 6));
  CHECK(CheckpointStore(run.folder / "run").find(checkpoint_name(2)));
}

TEST_CASE("a batch with an infinite gradient is skipped, counted, and leaves no trace", "[unit]") {
  LoopRun clean, run;
  for (auto* each : {&clean, &run}) each->options.train.max_steps = 40;
  const auto expected = std::make_shared<OneWeight>(), model = std::make_shared<OneWeight>();
  clean.run(expected);
  model->infinite = {2, 5, 6};
  const auto state = run.run(model);

  // All batches are alike, so that the skipped ones are the only difference.
  CHECK(model->weight() == expected->weight());
  CHECK(std::abs(model->weight() - 3.0) < 0.5);
  CHECK(model->updates == expected->updates + 3);
  CHECK(state.skipped == 3);
  CHECK(state.skipped_in_row == 0);

  const auto skipped = run.records("skipped");
  REQUIRE(skipped.size() == 3);
  for (std::size_t i = 0; i < skipped.size(); ++i) {
    CHECK(skipped[i].at("skipped") == i + 1);
    CHECK(skipped[i].at("loss").is_number());
    CHECK(skipped[i].at("gradient_norm").is_null());  // JSON has no infinity
  }
  CHECK(skipped[0].at("step") == 1);
  CHECK(skipped[1].at("step") == 3);
  CHECK(skipped[2].at("step") == 3);
  const auto trained = run.records("train");
  REQUIRE(trained.size() == 40);
  CHECK(trained[0].at("skipped") == 0);
  CHECK(trained[1].at("skipped") == 1);
  CHECK(trained[3].at("skipped") == 3);
  for (const auto& record : trained) CHECK(record.at("gradient_norm").is_number());
  CHECK(run.records("end").front().at("skipped") == 3);
}

TEST_CASE("a gradient whose square is too large for Adam is skipped", "[unit]") {
  LoopRun run;
  run.options.train.max_steps = 3;
  auto model = std::make_shared<OneWeight>();
  model->infinite = {2};
  model->factor_of_infinite = 1e25;
  CHECK(run.run(model).skipped == 1);
  CHECK(run.records("skipped").front().at("gradient_norm").get<double>() > 1e24);
  run.options.train.max_steps = 4;
  CHECK(run.run(std::make_shared<OneWeight>()).step == 4);  // its moments can be read
}

TEST_CASE("infinite gradients in a row end a training, whose checkpoint stays as it was",
          "[unit]") {
  LoopRun run;
  run.options.train.max_steps = 9;
  run.options.train.max_skipped = 2;
  auto model = std::make_shared<OneWeight>();
  model->infinite = {2, 6, 7};  // one alone does not count
  CHECK_THROWS_WITH(run.run(model), test::contains("2 updates in a row"));
  CHECK(run.records("train").size() == 4);
  model = std::make_shared<OneWeight>();
  CHECK(run.run(model).step == 9);
  CHECK(std::isfinite(model->weight()));
}

TEST_CASE("a resumed run does not repeat the records of what it does again", "[unit]") {
  LoopRun run;
  run.options.train.checkpoint_every = 2;
  auto model = std::make_shared<OneWeight>();
  model->broken = {4, 6};  // after steps 3 and 4
  run.run(model);
  const auto skipped = run.records("skipped"), validations = run.records("validation");
  REQUIRE(skipped.size() == 2);
  // As if the process had died after step 5: checkpoint 4 is the newest.
  std::filesystem::remove_all(run.folder / "run" / "checkpoints" / checkpoint_name(6));
  std::filesystem::remove(run.folder / "run" / "latest");
  const CheckpointStore store(run.folder / "run");
  const auto newest = store.newest_good(Damaged::skip).value();
  const auto state =
      training_state_from(nlohmann::json::parse(read_file(newest.path / "state.json")), "");
  model = std::make_shared<OneWeight>();
  if (state.skipped == 1) model->broken = {1};
  run.run(model);
  CHECK(run.records("skipped") == skipped);
  CHECK(run.records("validation").size() == validations.size());
}

TEST_CASE("a run that died while it validated its checkpoint does so when it resumes", "[unit]") {
  LoopRun run;
  run.options.train.max_steps = 3;
  run.run(std::make_shared<OneWeight>());
  const auto folder = run.folder / "run";
  const auto checkpoint = CheckpointStore(folder).newest_good(Damaged::skip).value();
  const auto validation_of = [&] {
    auto file = nlohmann::json::parse(read_file(checkpoint.path / "validation.json"));
    for (const char* time : {"training_seconds", "training_cpu_seconds"})
      CHECK(file.erase(time) == 1);
    return file;
  };
  const auto validation = validation_of();
  std::filesystem::remove(checkpoint.path / "validation.json");
  std::filesystem::remove(folder / "best-loss");
  run.run(std::make_shared<OneWeight>());
  CHECK(validation_of() == validation);
  CHECK(CheckpointStore(folder).best("loss")->step == 3);
  CHECK(run.records("validation").size() == 1);
}

TEST_CASE("the time of a validation counts for the limit of a run that is repeated", "[unit]") {
  LoopRun run;
  run.options.train.max_steps = 3;
  run.run(std::make_shared<OneWeight>());
  const auto checkpoint = CheckpointStore(run.folder / "run").newest_good(Damaged::skip).value();
  auto file = nlohmann::json::parse(read_file(checkpoint.path / "validation.json"));
  file["training_seconds"] = "0x1.f4p+9";  // 1000
  std::ofstream(checkpoint.path / "validation.json") << file;
  run.options.train.max_steps = 9;
  run.options.train.max_seconds = 900;
  CHECK(run.run(std::make_shared<OneWeight>()).step == 3);
  CHECK(run.records("end").back().at("reason") == "train.max_seconds 900 reached");
}

TEST_CASE("a resumed run mends what best-METRIC names", "[unit]") {
  LoopRun run;
  run.run(std::make_shared<OneWeight>());  // each validation is better than the last
  CheckpointStore store(run.folder / "run");
  REQUIRE(store.best("loss")->step == 6);
  store.mark_best("loss", 3);
  run.options.train.max_steps = 9;
  run.options.train.learning_rate = 0.1;
  run.run(std::make_shared<OneWeight>());
  CHECK(store.best("loss")->step == 9);
  store.mark_best("loss", 3);
  run.run(std::make_shared<OneWeight>());  // nothing is left to do
  CHECK(store.best("loss")->step == 9);
}

TEST_CASE("a checkpoint that is written while training goes on is that of its step", "[unit]") {
  LoopRun at_once, late;
  for (auto* each : {&at_once, &late}) {
    each->options.train.checkpoint_every = 2;
    each->options.train.validate_every = 6;
    each->options.train.ema_decay = 0.5;
  }
  at_once.run(std::make_shared<OneWeight>());
  const auto model = std::make_shared<OneWeight>();
  bool waited = false;
  model->before_write = [&](int number) {
    if (number != 2) return;  // the first is that of the beginning
    for (int i = 0; i < 10000 && model->begun < 4; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    waited = model->begun >= 4;
  };
  const test::LogTaken log;
  late.run(model);
  CHECK(waited);
  for (const std::int64_t step : {0, 2, 4, 6})
    for (const char* file : {"model.safetensors", "optimizer.safetensors"}) {
      CAPTURE(step, file);
      const auto name = std::filesystem::path("run") / "checkpoints" / checkpoint_name(step) / file;
      CHECK((read_file(late.folder / name) == read_file(at_once.folder / name)));
    }
  const auto place = [&](const std::string& text) {
    return std::ranges::find_if(log.messages,
                                [&](const std::string& message) {
                                  return message.find(text) != std::string::npos;
                                }) -
           log.messages.begin();
  };
  CHECK(place("step 3 ") < place("step-00000002"));
  CHECK(place("step-00000002") < place("step-00000004"));
  CHECK(place("step-00000006") < place("validation at step 6"));
  CHECK(place("validation at step 6") < std::ssize(log.messages));
}

TEST_CASE("a checkpoint that cannot be written ends the training with its error", "[unit]") {
  for (const int broken : {1, 2, 4}) {
    LoopRun run;
    run.options.train.checkpoint_every = 2;
    run.options.train.validate_every = 6;
    auto model = std::make_shared<OneWeight>();
    model->before_write = [broken](int number) {
      if (number == broken) throw DataError("the disk is full");
    };
    CAPTURE(broken);
    CHECK_THROWS_WITH(run.run(model), test::contains("the disk is full"));
    CHECK(std::ssize(CheckpointStore(run.folder / "run").list()) == broken - 1);
    CHECK(run.records("validation").empty());  // even if the one of the last step was measured
    CHECK(run.records("end").empty());
    if (broken == 1) continue;
    CHECK(run.run(std::make_shared<OneWeight>()).step == 6);
    CHECK(run.records("validation").size() == 1);
  }
}

TEST_CASE("a validation that is not a number is never the best", "[unit]") {
  LoopRun run;
  run.options.train.max_steps = 3;
  const auto model = std::make_shared<OneWeight>();
  model->broken_validation = true;
  run.run(model);
  CHECK_FALSE(CheckpointStore(run.folder / "run").best("loss"));
  run.options.train.max_steps = 6;
  run.run(std::make_shared<OneWeight>());
  CHECK(CheckpointStore(run.folder / "run").best("loss")->step == 6);
}

}  // namespace dragoman::trainer_test
