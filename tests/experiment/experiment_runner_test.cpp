#include "dragoman/experiment/experiment_runner.h"

#include "dragoman/core/file.h"
#include "dragoman/experiment/training_log.h"
#include "support/catch.h"
#include "support/temporary_directory.h"
#include "text/text_support.h"

#include <cmath>
#include <filesystem>

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
  }
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

TEST_CASE("an interrupted training resumes to its end", "[e2e]") {
  const SmallLaboratory small;
  const ExperimentRunner experiment_runner(small.dir());
  REQUIRE(experiment_runner.run(small.experiment, small.texts) == 0);
  const auto run = runs_in(small.dir()).front();
  // As if it had been stopped after its last update: no end in the log, nothing measured.
  auto log = read_file(run / "train.jsonl");
  log = log.substr(0, log.rfind("{\"d"));
  write_file_atomically(run / "train.jsonl", log);
  std::filesystem::remove(run / "measures.json");
  CHECK_FALSE(is_finished(run));
  REQUIRE(experiment_runner.run(small.experiment, small.texts) == 0);
  CHECK(is_finished(run));
  CHECK(experiment_runner.result(small.experiment).trials.size() == 2);
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
  CHECK(result.has_failed("diverges"));
  CHECK(result.of_variant("diverges").empty());
  CHECK(result.of_variant("plain").size() == 1);
}

TEST_CASE("a part of the training text is its first pairs", "[e2e]") {
  SmallLaboratory small;
  small.experiment.train_pairs = 40;
  small.experiment.variants.pop_back();
  const ExperimentRunner experiment_runner(small.dir());
  REQUIRE(experiment_runner.run(small.experiment, small.texts) == 0);
  for (const auto& entry : std::filesystem::directory_iterator(small.dir())) {
    if (!entry.path().filename().string().starts_with("text-")) continue;
    const auto part = read_file(entry.path() / "train.source");
    CHECK(std::count(part.begin(), part.end(), '\n') == 40);
    CHECK(read_file(small.texts.train_source[0]).starts_with(part));
  }
}

}  // namespace experiment_runner_test
