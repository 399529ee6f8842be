// train.jsonl of complete training runs on a small text.
#include "dragoman/model/flops.h"
#include "dragoman/run/loaded_run.h"
#include "dragoman/tensor/device.h"
#include "dragoman/tensor/initialisation.h"
#include "support/catch.h"
#include "train/toy_training.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

namespace dragoman::toy_log_test {

namespace {

using test::records_of;
using test::ToyTraining;

/// Section 5.3 and the option descriptions, written out.
double rate_of(const TrainOptions& train, double d_model, double n) {
  const double w = static_cast<double>(train.warmup_steps);
  const double end = static_cast<double>(train.decay_steps), factor = train.learning_rate;
  const double left = std::clamp((end - n) / (end - w), 0.0, 1.0);
  switch (train.schedule) {
    case Schedule::noam:
      return factor * std::min(1.0 / std::sqrt(n), n / (w * std::sqrt(w))) / std::sqrt(d_model);
    case Schedule::inverse_sqrt: return n < w ? factor * n / w : factor * std::sqrt(w / n);
    case Schedule::linear: return n < w ? factor * n / w : factor * left;
    case Schedule::cosine:
      return n < w ? factor * n / w : factor * 0.5 * (1.0 - std::cos(std::numbers::pi * left));
    case Schedule::constant: return n < w ? factor * n / w : factor;
  }
  return -1.0;
}

/// All records but what a clock or the operating system decides.
std::vector<nlohmann::json> repeatable_records(const std::filesystem::path& run_dir) {
  static const std::set<std::string> measured = {"seconds",        "cpu_seconds",
                                                 "data_seconds",   "own_seconds",
                                                 "peak_memory_mb", "target_tokens_per_second"};
  std::vector<nlohmann::json> records;
  for (const char* event : {"start", "train", "validation", "skipped", "end"})
    for (auto record : records_of(run_dir, event)) {
      for (const auto& key : measured) record.erase(key);
      records.push_back(std::move(record));
    }
  return records;
}

}  // namespace

TEST_CASE("the last record's CPU time counts earlier processes, too", "[unit]") {
  const ToyTraining toy;
  auto options = toy.options;
  options.train.max_steps = 4;
  toy.run("run", options);
  options.train.max_steps = 8;
  const auto ends = records_of(toy.run("run", options), "end");
  REQUIRE(ends.size() == 2);
  const auto first = ends[0].at("cpu_seconds").get<double>();
  CHECK(first > 0.0);
  CHECK(ends[1].at("cpu_seconds").get<double>() > first);
}

TEST_CASE("a resumed run takes back what its log has after the checkpoint, in the same file",
          "[unit]") {
  const ToyTraining toy;
  auto options = toy.options;
  options.train.max_steps = 4;
  const auto log = toy.run("run", options) / "train.jsonl";
  std::ofstream(log, std::ios::app) << R"({"event":"train","step":99})" << "\n{\"event\":";
  std::filesystem::create_hard_link(log, toy.folder / "followed");
  options.train.max_steps = 8;
  for (const auto& record : records_of(toy.run("run", options), "train"))
    CHECK(record.at("step") < 9);
  CHECK(read_file(toy.folder / "followed") == read_file(log));
}

TEST_CASE("each schedule's rate is logged as the formula has it, before and after a resume",
          "[unit]") {
  const ToyTraining toy;
  for (const auto schedule : {Schedule::noam, Schedule::inverse_sqrt, Schedule::linear,
                              Schedule::cosine, Schedule::constant}) {
    const auto name = nlohmann::json(schedule).get<std::string>();
    CAPTURE(name);
    auto options = toy.options;
    options.train.schedule = schedule;
    options.train.learning_rate = schedule == Schedule::noam ? 0.5 : 0.003;
    options.train.warmup_steps = 4;
    if (schedule == Schedule::linear || schedule == Schedule::cosine)
      options.train.decay_steps = 12;
    options.train.log_every = 1;
    options.train.max_steps = 7;
    toy.run(name, options);
    options.train.max_steps = 13;
    const auto records = records_of(toy.run(name, options), "train");
    REQUIRE(records.size() == 13);
    for (std::size_t i = 0; i < records.size(); ++i) {
      const auto step = static_cast<double>(i + 1);
      CAPTURE(step);
      CHECK(records[i].at("step") == i + 1);
      CHECK(records[i].at("learning_rate").get<double>() ==
            test::Approx(rate_of(options.train, static_cast<double>(options.model.d_model), step))
                .epsilon(1e-12)
                .margin(1e-18));
    }
  }
}

TEST_CASE("two runs with one seed log the same but for times, with another seed not",
          "[property]") {
  const ToyTraining toy;
  auto options = toy.options;
  options.train.max_steps = 12;
  options.train.log_every = 1;
  options.train.validate_every = 6;
  options.data.valid_source = options.data.train_source.front();
  options.data.valid_target = options.data.train_target.front();
  const auto first = repeatable_records(toy.run("first", options));
  CHECK(first.size() == 1 + 12 + 2 + 1);
  CHECK(first == repeatable_records(toy.run("second", options)));
  options.seed = 2;
  CHECK(first != repeatable_records(toy.run("third", options)));
}

TEST_CASE("a training in bf16 has nearly the losses of one in float32, record by record",
          "[property]") {
  const ToyTraining toy;
  auto options = toy.options;
  options.train.max_steps = 60;
  options.train.log_every = 5;
  options.train.checkpoint_every = 60;
  options.train.precision = Precision::float32;
  const auto exact = records_of(toy.run("float32", options), "train");
  options.train.precision = Precision::bf16;
  const auto rounded = records_of(toy.run("bf16", options), "train");
  REQUIRE(exact.size() == 12);
  REQUIRE(rounded.size() == 12);
  for (std::size_t i = 0; i < exact.size(); ++i) {
    const auto loss = exact[i].at("loss").get<double>();
    CAPTURE(exact[i].at("step").get<int>());
    CHECK(rounded[i].at("loss").get<double>() == test::Approx(loss).epsilon(0.02));
  }
  CHECK(rounded.back().at("loss") != exact.back().at("loss"));
}

TEST_CASE("the log begins with how the weights were drawn, or where they are from", "[unit]") {
  const ToyTraining toy;
  auto options = toy.options;
  options.seed = 17;
  options.train.max_steps = 1;
  const auto first = toy.run("first", options);
  const auto drawn = std::string(initialisation_text) + "; seed 17";
  const auto line_of = [](const std::filesystem::path& run_dir) {
    return records_of(run_dir, "start").back().at("initialisation").get<std::string>();
  };
  CHECK(line_of(first) == drawn);
  options.train.max_steps = 2;
  CHECK(line_of(toy.run("first", options)) == drawn);

  const auto checkpoint = CheckpointStore(first).list().front().path;
  train({.options = options,
         .run_dir = toy.folder / "further",
         .start_from = StartFrom{.checkpoint = checkpoint}});
  CHECK(line_of(toy.folder / "further") == "weights of " + checkpoint.string());
  options.model.encoder_layers = 2;
  train({.options = options,
         .run_dir = toy.folder / "deeper",
         .start_from = StartFrom{.checkpoint = checkpoint, .matching = true}});
  CHECK_THAT(line_of(toy.folder / "deeper"),
             test::contains("weights of " + checkpoint.string() + "; ") &&
                 test::contains(" others: " + drawn));
  options.model.encoder_layer = EncoderLayerKind::lstm;
  options.model.encoder_attention = {};
  CHECK(line_of(toy.run("lstm", options)) ==
        std::string(initialisation_text) +
            "; LSTM and convolution layers as LibTorch draws them; seed 17");
}

TEST_CASE("the last record has FLOPs, time and device, FLOPs those of three forward passes",
          "[unit]") {
  const ToyTraining toy;
  auto options = toy.options;
  options.train.max_epochs = 2;
  const auto run_dir = toy.run("run", options);
  const auto loaded = load_run(run_dir);
  double forward = 0.0;
  std::int64_t tokens = 0;
  for (const auto& pair : test::toy_pairs()) {
    const auto length = [](const Tokenizer& tokenizer, const std::string& line) {
      return static_cast<std::int64_t>(tokenizer.encode(line).size()) + 1;  // and EOS
    };
    const auto target = length(loaded.vocabulary.target, pair.target);
    forward += forward_flops(options.model, loaded.vocabulary.target.vocab_size(),
                             length(loaded.vocabulary.source, pair.source), target);
    tokens += target;
  }
  const auto end = records_of(run_dir, "end").at(0);
  CHECK(end.at("target_tokens") == 2 * tokens);
  CHECK(end.at("flops").get<double>() == test::Approx(2.0 * 3.0 * forward).epsilon(1e-12));
  CHECK(end.at("seconds").get<double>() > 0.0);
  const auto devices = device_descriptions();
  const auto used = records_of(run_dir, "start").at(0).at("device").get<std::string>();
  const auto named = end.at("device").get<std::string>();
  CHECK(named.starts_with(used));
  CHECK(std::find(devices.begin(), devices.end(), named) != devices.end());
}

}  // namespace dragoman::toy_log_test
