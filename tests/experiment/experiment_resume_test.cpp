#include "dragoman/experiment/experiment_runner.h"

#include "dragoman/core/file.h"
#include "dragoman/experiment/kept_results.h"
#include "dragoman/experiment/measure_trial.h"
#include "dragoman/experiment/text_record.h"
#include "dragoman/experiment/write_report.h"
#include "dragoman/run/run_lock.h"
#include "experiment/small_laboratory.h"
#include "support/catch.h"
#include "text/text_support.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <future>
#include <thread>

namespace experiment_resume_test {

using namespace dragoman;
using test::runs_in;
using test::SmallLaboratory;
using test::updates_of;

TEST_CASE("another text in the folder of training runs is refused before any training", "[e2e]") {
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

TEST_CASE("finished training runs and measurements are not repeated, new measurements are added",
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

TEST_CASE("a training that another process is working on is left to it", "[e2e]") {
  SmallLaboratory small;
  small.experiment.measure = {};
  const ExperimentRunner experiment_runner(small.dir());
  REQUIRE(experiment_runner.run(small.experiment, small.texts) == 0);
  const auto runs = runs_in(small.dir());
  REQUIRE(runs.size() == 2);
  for (const auto& run : runs) std::filesystem::remove_all(run);

  std::future<int> other;
  auto lock = lock_if_free(small.dir() / "locks" / runs[0].filename());
  REQUIRE(lock);
  CHECK_FALSE(lock_if_free(small.dir() / "locks" / runs[0].filename()));
  other = std::async(std::launch::async, [&] {
    experiment_runner.run(small.experiment, small.texts, IfLocked::refuse);
    return experiment_runner.run(small.experiment, small.texts, IfLocked::wait);
  });
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!is_measured(small.experiment, runs[1])) {
    REQUIRE(std::chrono::steady_clock::now() < deadline);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  CHECK_FALSE(std::filesystem::exists(runs[0]));
  lock.reset();  // without a result: that process has stopped
  CHECK(other.get() == 0);
  CHECK(is_measured(small.experiment, runs[0]));
}

/// The laboratory's results as another machine reads them, by way of a file.
KeptResults kept_results(const SmallLaboratory& small) {
  const ExperimentRunner experiment_runner(small.dir());
  write_report(small.folder / "report", {experiment_runner.result(small.experiment)},
               {.text = "a.src",
                .machine = "another",
                .version = "1",
                .text_record = read_text_record(small.dir())});
  return read_results(small.folder / "report" / "results.json");
}

TEST_CASE("training runs in kept results are taken over instead of repeated", "[e2e]") {
  SmallLaboratory small;
  REQUIRE(ExperimentRunner(small.dir()).run(small.experiment, small.texts) == 0);
  const auto kept = kept_results(small);

  const auto dir = small.folder / "elsewhere";
  const ExperimentRunner elsewhere(dir);
  elsewhere.take_over(kept, small.experiment);
  const auto taken = elsewhere.result(small.experiment);
  CHECK(results_json({taken}, kept.facts) == results_json(kept.results, kept.facts));
  auto another = small.experiment;
  another.name = "another";
  CHECK(ExperimentRunner(small.folder / "third").take_over(kept, another).size() == 2);
  small.experiment.seeds = {1, 2};
  REQUIRE(elsewhere.run(small.experiment, small.texts) == 0);
  for (const auto& run : runs_in(dir)) {
    CAPTURE(run.string());
    const auto is_old = std::filesystem::exists(small.dir() / run.filename());
    CHECK(is_old == !std::filesystem::exists(run / "train.jsonl"));
  }
  CHECK(runs_in(dir).size() == 4);
}

TEST_CASE("kept results of another text or by older rules are refused", "[e2e]") {
  SmallLaboratory small;
  small.experiment.measure = {};
  small.experiment.variants.pop_back();
  const ExperimentRunner experiment_runner(small.dir());
  REQUIRE(experiment_runner.run(small.experiment, small.texts) == 0);
  auto kept = kept_results(small);
  kept.facts.text_record["test-target"][0]["sha256"] = "another";
  CHECK_THROWS_WITH(experiment_runner.take_over(kept, small.experiment),
                    test::contains("--kept: the results are those of another text"));
  kept.facts.rules = measuring_rules - 1;
  CHECK_THROWS_WITH(experiment_runner.take_over(kept, small.experiment),
                    test::contains("--kept: the results were measured by rules"));
}

TEST_CASE("kept results that lack a measurement are not taken over", "[e2e]") {
  SmallLaboratory small;
  small.experiment.measure = {};
  small.experiment.variants.pop_back();
  REQUIRE(ExperimentRunner(small.dir()).run(small.experiment, small.texts) == 0);
  const auto kept = kept_results(small);
  small.experiment.measure = {"gradients"};
  const ExperimentRunner elsewhere(small.folder / "elsewhere");
  elsewhere.take_over(kept, small.experiment);
  CHECK(elsewhere.result(small.experiment).trials.empty());
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

}  // namespace experiment_resume_test
