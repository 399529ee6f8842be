#include "dragoman/experiment/experiment_runner.h"

#include "dragoman/core/file.h"
#include "dragoman/experiment/measure_trial.h"
#include "dragoman/experiment/training_log.h"
#include "support/catch.h"
#include "support/temporary_directory.h"
#include "text/text_support.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <functional>
#include <sstream>
#include <thread>

namespace experiment_runner_test {

using namespace dragoman;

namespace {

/// Two variants of three updates on a synthetic text, with all measurements.
struct SmallLaboratory {
  test::TemporaryDirectory folder;
  TrialTexts texts;
  Experiment experiment;

  SmallLaboratory() {
    std::string source, target;
    for (const auto& line : test::synthetic_lines(80)) {
      source += line + '\n';
      target += line.substr(0, line.size() / 2) + '\n';
    }
    const auto a = test::write(folder / "a.src", source), b = test::write(folder / "a.tgt", target);
    texts = {.train_source = {a},
             .train_target = {b},
             .valid_source = a,
             .valid_target = b,
             .test_source = a,
             .test_target = b};
    test::write(folder / "base.json", R"({
      "model": {"d_model": 16, "d_ff": 32, "num_heads": 2, "encoder_layers": 2, "decoder_layers": 1},
      "tokenizer": {"vocab_size": 60},
      "train": {"max_steps": 3, "batch_tokens": 200, "log_every": 1, "validate_every": 3,
                "validate_translations": false, "schedule": "constant", "learning_rate": 0.001,
                "warmup_steps": 1, "workers": 1},
      "search": {"greedy": true, "max_length": 12}})");
    experiment = {.name = "small",
                  .folder = folder.path(),
                  .title = "Small?",
                  .about = "",
                  .config = "base.json",
                  .set = {},
                  .seeds = {1},
                  .measure = {"gradients", "saturation", "lengths"},
                  .length_limits = {8, 16},
                  .variants = {{.name = "plain"}, {.name = "pre", .set = {"model.norm=pre"}}},
                  .columns = {},
                  .figures = {},
                  .claims = {}};
  }

  std::filesystem::path dir() const { return folder / "out"; }
};

std::vector<std::filesystem::path> runs_in(const std::filesystem::path& dir) {
  std::vector<std::filesystem::path> runs;
  for (const auto& entry : std::filesystem::directory_iterator(dir))
    if (entry.path().filename().string().starts_with("run-")) runs.push_back(entry.path());
  return runs;
}

/// Updates in the log of a training.
std::size_t updates_of(const std::filesystem::path& run) {
  return read_training_log(run).train.step.size();
}

}  // namespace

TEST_CASE("an experiment trains each variant and measures everything it requests", "[e2e]") {
  const SmallLaboratory small;
  const ExperimentRunner experiment_runner(small.dir());
  REQUIRE(experiment_runner.run(small.experiment, small.texts) == 0);
  const auto result = experiment_runner.result(small.experiment);
  REQUIRE(result.trials.size() == 2);
  for (const auto& trial : result.trials) {
    const auto& record = trial.record;
    for (const auto* name : {"bleu",
                             "chrf",
                             "valid_nll",
                             "valid_accuracy",
                             "train_nll",
                             "fit_nll",
                             "gap",
                             "ece",
                             "confidence",
                             "overconfidence",
                             "parameters",
                             "skipped",
                             "update_cpu_ms",
                             "update_memory_mb",
                             "sentences_per_cpu_second",
                             "gradient_ratio_initial",
                             "gradient_ratio",
                             "saturated_initial",
                             "saturated",
                             "bleu_within",
                             "nll_within",
                             "train_seconds"}) {
      CAPTURE(name);
      REQUIRE(record.values.contains(name));
      CHECK(std::isfinite(record.values.at(name)));
    }
    CHECK_FALSE(record.values.contains("bleu_beyond"));  // nothing is longer than data.max_length
    CHECK(record.train.step == std::vector<double>{1, 2, 3});
    CHECK(record.valid.step == std::vector<double>{3});
    CHECK(record.gradients.size() == 3);
    CHECK(record.reliability.size() == 10);
    REQUIRE(record.lengths.size() == 3);
    CHECK(record.lengths[0].sentences + record.lengths[1].sentences + record.lengths[2].sentences ==
          80);
    CHECK(record.values.at("update_memory_mb") > 0.0);
    for (const auto* name : {"bleu", "chrf", "bleu_within", "nll_within"}) {
      CAPTURE(name);
      REQUIRE(record.left_out.contains(name));
      CHECK(record.left_out.at(name).size() == jackknife_groups);
    }
  }
}

TEST_CASE("answers after a given part of the target are measured with their replicates", "[e2e]") {
  SmallLaboratory small;
  small.experiment.task = {
      .kind = TaskKind::agreement, .train = 60, .valid = 10, .test = 40, .lengths = {4, 6}};
  small.experiment.set = {"search.max_length=40"};
  small.experiment.measure = {"answers"};
  small.experiment.variants.pop_back();
  const ExperimentRunner experiment_runner(small.dir());
  REQUIRE(experiment_runner.run(small.experiment, {}) == 0);
  const auto trial = experiment_runner.result(small.experiment).trials.at(0);
  CHECK(trial.record.left_out.at("answers").size() == jackknife_groups);
  REQUIRE(trial.record.answers.size() == 2);
  CHECK(trial.record.answers[1].lines == 20);
  // Whatever three updates have taught, each translation begins with what is given.
  const auto texts = task_texts(small.experiment.task, small.dir());
  const auto given_file = std::filesystem::path(texts.test_target).parent_path() / "test.given";
  std::istringstream given(read_file(given_file)),
      translated(read_file(small.dir() / trial.run / "test.translated"));
  int lines = 0;
  for (std::string part, line; std::getline(given, part); ++lines) {
    REQUIRE(std::getline(translated, line));
    CAPTURE(part, line);
    CHECK(line.starts_with(part));
  }
  CHECK(lines == 40);
}

TEST_CASE("the best checkpoint is measured, and the last for the gap", "[e2e]") {
  SmallLaboratory small;
  small.experiment.measure = {};
  small.experiment.variants.pop_back();
  // Training makes pieces that it never sees less probable: the first validation is the best.
  std::string unseen;
  for (int i = 0; i < 80; ++i) unseen += "## ## ##\n";
  small.texts.valid_target = test::write(small.folder / "unseen.tgt", unseen);
  small.experiment.set = {"train.max_steps=8", "train.validate_every=1", "train.learning_rate=0.01",
                          "train.early_stopping_metric=perplexity"};
  const ExperimentRunner experiment_runner(small.dir());
  REQUIRE(experiment_runner.run(small.experiment, small.texts) == 0);
  const auto trial = experiment_runner.result(small.experiment).trials.at(0);
  const auto& by_step = trial.record.valid.nll;
  REQUIRE(by_step.size() == 8);
  const auto best = *std::ranges::min_element(by_step);
  REQUIRE(best < by_step.back() - 0.01);
  const auto& values = trial.record.values;
  CHECK(values.at("valid_nll") == test::Approx(best).epsilon(1e-3));
  CHECK(values.at("gap") + values.at("fit_nll") == test::Approx(by_step.back()).epsilon(1e-3));
}

TEST_CASE("another text in the folder of trainings is refused before any training", "[e2e]") {
  SmallLaboratory small;
  small.experiment.measure = {};
  small.experiment.variants.pop_back();
  const ExperimentRunner experiment_runner(small.dir());
  REQUIRE(experiment_runner.run(small.experiment, small.texts) == 0);
  small.experiment.seeds = {1, 2};
  small.texts.test_target = test::write(small.folder / "other.tgt", "another text\n");
  CHECK_THROWS_WITH(experiment_runner.run(small.experiment, small.texts),
                    test::contains("--test-target: "));
  CHECK(runs_in(small.dir()).size() == 1);
}

TEST_CASE("finished trainings and measurements are not repeated, new measurements are added",
          "[e2e]") {
  SmallLaboratory small;
  const ExperimentRunner experiment_runner(small.dir());
  small.experiment.measure = {};
  REQUIRE(experiment_runner.run(small.experiment, small.texts) == 0);
  const auto runs = runs_in(small.dir());
  REQUIRE(runs.size() == 2);
  const auto log = read_file(runs[0] / "train.jsonl");
  const auto before = experiment_runner.result(small.experiment);

  small.experiment.measure = {"gradients"};
  CHECK(experiment_runner.result(small.experiment).trials.empty());
  small.experiment.variants.push_back({.name = "twin of plain"});
  REQUIRE(experiment_runner.run(small.experiment, small.texts) == 0);
  CHECK(runs_in(small.dir()).size() == 2);
  CHECK(read_file(runs[0] / "train.jsonl") == log);
  const auto after = experiment_runner.result(small.experiment);
  REQUIRE(after.trials.size() == 3);
  CHECK(after.trials[0].record.values.at("update_cpu_ms") ==
        before.trials[0].record.values.at("update_cpu_ms"));  // it would differ if measured again
  CHECK(after.trials[0].record.values.contains("gradient_ratio"));
  CHECK(after.trials[2].run == after.trials[0].run);
}

TEST_CASE("measurements by older rules are made again", "[e2e]") {
  SmallLaboratory small;
  small.experiment.measure = {};
  small.experiment.variants.pop_back();
  const ExperimentRunner experiment_runner(small.dir());
  REQUIRE(experiment_runner.run(small.experiment, small.texts) == 0);
  const auto file = runs_in(small.dir()).front() / "measures.json";
  write_file_atomically(file, R"({"usual": {"values": {"bleu": 99}}})");
  CHECK(experiment_runner.result(small.experiment).trials.empty());
  REQUIRE(experiment_runner.run(small.experiment, small.texts) == 0);
  CHECK(experiment_runner.result(small.experiment).trials.at(0).record.values.at("bleu") < 99.0);
}

TEST_CASE("damaged measurements are refused by name", "[e2e]") {
  SmallLaboratory small;
  small.experiment.measure = {};
  small.experiment.variants.pop_back();
  const ExperimentRunner experiment_runner(small.dir());
  REQUIRE(experiment_runner.run(small.experiment, small.texts) == 0);
  const auto file = runs_in(small.dir()).front() / "measures.json";
  auto parts = nlohmann::json::parse(read_file(file));
  parts.begin()->at("values").at("bleu") = nullptr;
  write_file_atomically(file, parts.dump());
  CHECK_THROWS_WITH(experiment_runner.result(small.experiment),
                    test::contains("measures.json: is damaged; remove it"));
}

TEST_CASE("an interrupted training resumes where it stopped", "[e2e]") {
  SmallLaboratory small;
  small.experiment.measure = {};
  small.experiment.set = {"train.max_steps=200", "train.validate_every=100"};
  small.experiment.variants.pop_back();
  const ExperimentRunner experiment_runner(small.dir());
  std::atomic<bool> sent = false;
  const std::jthread interrupter([&](const std::stop_token& stop) {
    for (; !stop.stop_requested(); std::this_thread::sleep_for(std::chrono::milliseconds(1))) {
      if (!std::filesystem::exists(small.dir())) continue;
      const auto runs = runs_in(small.dir());
      if (runs.empty() || updates_of(runs.front()) == 0) continue;
      sent = true;
      ::kill(::getpid(), SIGTERM);
      return;
    }
  });
  CHECK(experiment_runner.run(small.experiment, small.texts) == SIGTERM);
  REQUIRE(sent);
  const auto run = runs_in(small.dir()).front();
  CHECK_FALSE(is_finished(run));
  CHECK(experiment_runner.result(small.experiment).trials.empty());
  const auto before = updates_of(run);
  CHECK(before < 200);

  REQUIRE(experiment_runner.run(small.experiment, small.texts) == 0);
  CHECK(is_finished(run));
  const auto result = experiment_runner.result(small.experiment);
  REQUIRE(result.trials.size() == 1);
  // Each update once: those before the interruption have not been repeated.
  const auto& steps = result.trials[0].record.train.step;
  CHECK(steps.size() == 200);
  CHECK(std::ranges::adjacent_find(steps, std::greater_equal<>()) == steps.end());
}

TEST_CASE("a training whose loss is not finite is a result and does not end the experiment",
          "[e2e]") {
  SmallLaboratory small;
  small.experiment.variants = {{.name = "diverges",
                                .set = {"train.learning_rate=1000000", "train.weight_decay=1",
                                        "train.max_steps=60", "train.max_skipped=2"}},
                               {.name = "plain"}};
  const ExperimentRunner experiment_runner(small.dir());
  REQUIRE(experiment_runner.run(small.experiment, small.texts) == 0);
  const auto result = experiment_runner.result(small.experiment);
  REQUIRE(result.trials.size() == 2);
  CHECK(result.divergence("diverges").diverged == 1);
  CHECK(result.of_variant("diverges").empty());
  CHECK(result.of_variant("plain").size() == 1);
}

TEST_CASE("of a variant's seeds some may diverge, and the others are measured", "[e2e]") {
  SmallLaboratory small;
  small.experiment.measure = {};
  small.experiment.seeds = {1, 2};
  small.experiment.variants.pop_back();
  const ExperimentRunner experiment_runner(small.dir());
  REQUIRE(experiment_runner.run(small.experiment, small.texts) == 0);
  // As if the first seed's loss had not been finite.
  note_failure(small.dir() / experiment_runner.result(small.experiment).trials[0].run, "diverged");
  const auto result = experiment_runner.result(small.experiment);
  REQUIRE(result.trials.size() == 2);
  CHECK(result.divergence("plain").diverged == 1);
  CHECK(result.divergence("plain").trained == 2);
  REQUIRE(result.of_variant("plain").size() == 1);
  CHECK(result.of_variant("plain")[0]->seed == 2);
  REQUIRE(experiment_runner.run(small.experiment, small.texts) == 0);  // is not trained again
  CHECK(experiment_runner.result(small.experiment).divergence("plain").diverged == 1);
}

TEST_CASE("a part of the training text is its first pairs", "[e2e]") {
  SmallLaboratory small;
  small.experiment.train_pairs = 40;
  small.experiment.variants.pop_back();
  const ExperimentRunner experiment_runner(small.dir());
  REQUIRE(experiment_runner.run(small.experiment, small.texts) == 0);
  int parts = 0;
  for (const auto& entry : std::filesystem::directory_iterator(small.dir())) {
    if (!entry.path().filename().string().starts_with("text-")) continue;
    ++parts;
    const auto part = read_file(entry.path() / "train.source");
    CHECK(std::count(part.begin(), part.end(), '\n') == 40);
    CHECK(read_file(small.texts.train_source[0]).starts_with(part));
  }
  CHECK(parts == 1);
}

}  // namespace experiment_runner_test
