#include "dragoman/experiment/experiment_runner.h"

#include "dragoman/core/file.h"
#include "dragoman/experiment/measure_trial.h"
#include "experiment/small_laboratory.h"
#include "support/catch.h"
#include "text/text_support.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <sstream>

namespace experiment_runner_test {

using namespace dragoman;
using test::SmallLaboratory;

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
                             "neighbours_first",
                             "distance_upper",
                             "train_seconds"}) {
      CAPTURE(name);
      REQUIRE(record.values.contains(name));
      CHECK(std::isfinite(record.values.at(name)));
    }
    CHECK_FALSE(record.values.contains("bleu_beyond"));  // nothing is longer than data.max_length
    CHECK(record.threads == 1);
    CHECK(record.train.step == std::vector<double>{1, 2, 3});
    CHECK(record.valid.step == std::vector<double>{3});
    CHECK(record.gradients.size() == 3);
    REQUIRE(record.heads.size() == 2);
    CHECK(record.heads[1].layer == 2);
    CHECK(record.heads[1].entropy > 0.0);
    CHECK(record.reliability.size() == 10);
    REQUIRE(record.lengths.size() == 3);
    CHECK(record.lengths[0].sentences + record.lengths[1].sentences + record.lengths[2].sentences ==
          80);
    CHECK(record.values.at("update_memory_mb") > 0.0);
    for (const auto* name : {"bleu", "chrf", "bleu_within", "nll_within"}) {
      CAPTURE(name);
      REQUIRE(record.jackknife.contains(name));
      CHECK(record.jackknife.at(name).size() == jackknife_groups);
    }
  }
}

TEST_CASE("relations of another text's words are refused before anything is trained", "[e2e]") {
  SmallLaboratory small;
  test::write(small.folder / "pairs", "0-1:first-second\n0-99:first-last\n");
  const auto refused = [&small](const char* message) {
    CHECK_THROWS_WITH(ExperimentRunner(small.dir()).run(small.experiment, small.texts),
                      test::contains(message));
  };
  refused("pairs: line 2: names word 99 of ");
  test::write(small.folder / "pairs", "\n\n");
  refused("pairs: names no pair of words");
  test::write(small.folder / "pairs", "0-1:first-second" + std::string(81, '\n'));
  refused("pairs: has 81 lines for 80 pairs with text");
  CHECK_FALSE(std::filesystem::exists(small.dir()));
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
  CHECK(trial.record.jackknife.at("answers").size() == jackknife_groups);
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

TEST_CASE("a variant begins with the weights of a training on the other targets", "[e2e]") {
  SmallLaboratory small;
  small.experiment.train_pairs = 40;
  small.experiment.measure = {};
  small.experiment.variants = {{.name = "plain"},
                               {.name = "pre-trained", .pretrain = {"train.max_steps=5"}}};
  const ExperimentRunner experiment_runner(small.dir());
  REQUIRE(experiment_runner.run(small.experiment, small.texts) == 0);
  const auto runs = test::runs_in(small.dir());
  REQUIRE(runs.size() == 3);
  const auto before = std::ranges::find(runs, 5U, test::updates_of);
  REQUIRE(before != runs.end());
  // The 40 targets that the pairs of the experiment leave.
  const auto config = nlohmann::json::parse(read_file(*before / "config.json"));
  const std::string file = config.at("data").at("train_target").at(0);
  CHECK(config.at("data").at("train_source").at(0) == file);
  CHECK(config.at("data").at("valid_source") == small.texts.valid_target);
  const auto others = read_filled_pairs(file, file);
  const auto all = read_filled_pairs(small.texts.train_source[0], small.texts.train_target[0]);
  REQUIRE(others.size() == 40);
  for (std::size_t i = 0; i < others.size(); ++i) CHECK(others[i].target == all[40 + i].target);
  // Of two trainings on the same pairs, only one knows the targets' words from the start.
  const auto result = experiment_runner.result(small.experiment);
  REQUIRE(result.trials.size() == 2);
  const auto first_loss = [&result](const char* variant) {
    return result.of_variant(variant).at(0)->record.train.nll.front();
  };
  CHECK(first_loss("pre-trained") < first_loss("plain"));
  // Nothing is trained again.
  REQUIRE(experiment_runner.run(small.experiment, small.texts) == 0);
  CHECK(test::updates_of(*before) == 5);
  // Without other targets there is nothing to begin with.
  small.experiment.train_pairs = 80;
  CHECK_THROWS_WITH(ExperimentRunner(small.folder / "elsewhere").run(small.experiment, small.texts),
                    test::contains("has no more than 80 pairs with text, and experiment small "
                                   "pre-trains on those after them"));
  CHECK_FALSE(std::filesystem::exists(small.folder / "elsewhere"));
}

TEST_CASE("a variant whose earlier training diverges counts as diverged", "[e2e]") {
  SmallLaboratory small;
  small.experiment.train_pairs = 40;
  small.experiment.measure = {};
  small.experiment.variants = {{.name = "pre-trained",
                                .pretrain = {"train.learning_rate=1000000", "train.weight_decay=1",
                                             "train.max_steps=60", "train.max_skipped=2"}}};
  const ExperimentRunner experiment_runner(small.dir());
  REQUIRE(experiment_runner.run(small.experiment, small.texts) == 0);
  CHECK(experiment_runner.result(small.experiment).divergence("pre-trained").diverged == 1);
}

}  // namespace experiment_runner_test
