#include "support/catch.h"
#include "support/program.h"

#include <nlohmann/json.hpp>

#include <sys/stat.h>

namespace experiment_test {

namespace {

/// Two variants of three updates on the embedded corpus.
struct EmbeddedExperiment {
  test::TemporaryDirectory folder;

  EmbeddedExperiment() {
    std::ofstream(folder / "base.json") << R"({
      "model": {"d_model": 16, "d_ff": 32, "num_heads": 2,
                "encoder_layers": 1, "decoder_layers": 1},
      "tokenizer": {"type": "bpe", "vocab_size": 300},
      "train": {"max_steps": 3, "batch_tokens": 500, "log_every": 1, "validate_translations": false,
                "workers": 1},
      "search": {"greedy": true, "max_length": 10}})";
    std::filesystem::create_directory(folder / "definitions");
    std::ofstream(folder / "definitions" / "width.json") << R"({
      "title": "Wide or <narrow>?", "about": "Three updates.", "config": "../base.json",
      "seeds": [1], "expected_minutes": 1,
      "variants": [{"name": "narrow"}, {"name": "wide", "set": ["model.d_ff=64"]}],
      "columns": ["bleu", "valid_nll", "parameters"],
      "figures": [{"kind": "curves", "title": "Losses", "of": "train"}],
      "claims": [{"says": "Wider is better", "measure": "bleu",
                  "compare": [{"of": "wide", "expect": "higher", "than": "narrow"}]}]})";
  }

  std::vector<std::string> command(const std::string& action) const {
    return {"experiment",
            action,
            "width",
            "-o",
            (folder / "out").string(),
            "--definitions",
            (folder / "definitions").string()};
  }

  static std::string text(const char* name) {
    return (test::source_folder() / "data" / "demo" / name).string();
  }

  test::ProcessResult run(const std::string& test_target = text("test.de.gz"),
                          const std::vector<std::string>& more = {}) const {
    const std::vector<std::string> texts = {
        "--train-source", text("valid.en.gz"), "--train-target", text("valid.de.gz"),
        "--valid-source", text("valid.en.gz"), "--valid-target", text("valid.de.gz"),
        "--test-source",  text("test.en.gz"),  "--test-target",  test_target};
    return test::dragoman(test::with(test::with(command("run"), texts), more));
  }

  std::string report(const char* name) const { return test::content_of(folder / "out" / name); }
};

}  // namespace

TEST_CASE("an experiment runs from one command to its report, and again from what is there",
          "[e2e]") {
  const EmbeddedExperiment experiment;
  const auto first = experiment.run();
  CAPTURE(first.err);
  REQUIRE(first.exit_code == 0);
  CHECK(first.out.find("Wider is better       width  not measured") != std::string::npos);
  const auto results = nlohmann::json::parse(experiment.report("results.json"));
  CHECK(results.at("experiments").at(0).at("trials").size() == 2);
  CHECK(experiment.report("REPORT.md").find("\n| wide | 1 | ") != std::string::npos);
  const auto page = experiment.report("report.html");
  CHECK(page.find("The best weights by") != std::string::npos);
  CHECK(page.find("In practice: ") == std::string::npos);
  CHECK(page.find("<svg") != std::string::npos);
  CHECK(page.find("Wide or &lt;narrow&gt;?") != std::string::npos);

  const auto second = experiment.run();
  CHECK(second.exit_code == 0);
  CHECK(second.err.find("training 1 of 2") == std::string::npos);
  CHECK(nlohmann::json::parse(experiment.report("results.json")) == results);

  const auto report = test::dragoman(experiment.command("report"));
  CAPTURE(report.err);
  CHECK(report.exit_code == 0);  // knows the texts without being given them
  CHECK(nlohmann::json::parse(experiment.report("results.json")) == results);
  CHECK(results.at("text").get<std::string>().find("test.en.gz and test.de.gz") !=
        std::string::npos);

  const auto other = experiment.run(EmbeddedExperiment::text("valid.de.gz"));
  CHECK(other.exit_code == 2);
  CHECK(other.err.find("--test-target: ") != std::string::npos);
  CHECK(other.err.find("has training runs with another text (test.de.gz)") != std::string::npos);
}

TEST_CASE("a test text that does not fit is refused before any training", "[e2e]") {
  const EmbeddedExperiment experiment;
  const auto result = experiment.run(EmbeddedExperiment::text("valid.de.gz"));
  CHECK(result.exit_code == 1);
  CHECK(result.err.find("have 700 and 500 lines") != std::string::npos);
  CHECK(result.err.find("training 1 of 2") == std::string::npos);
  const auto pipe = (experiment.folder / "pipe").string();
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  const auto of_pipe = experiment.run(pipe);
  CHECK(of_pipe.exit_code == 1);
  CHECK(of_pipe.err.find("pipe: is not a regular file") != std::string::npos);
  CHECK(experiment.run().exit_code == 0);
}

TEST_CASE("an experiment that is trained again elsewhere measures the same", "[e2e]") {
  const auto trials = [](const EmbeddedExperiment& experiment) {
    const auto result = experiment.run();
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 0);
    CHECK(result.err.find("training 2 of 2") != std::string::npos);
    auto measured = nlohmann::json::parse(experiment.report("results.json"))
                        .at("experiments")
                        .at(0)
                        .at("trials");
    for (auto& trial : measured)
      for (const char* cost :
           {"train_seconds", "update_cpu_ms", "update_memory_mb", "sentences_per_cpu_second"})
        CHECK(trial.at("record").at("values").erase(cost) == 1);
    return measured;
  };
  const EmbeddedExperiment one, other;
  const auto expected = trials(one);
  CHECK(expected.at(0).at("record").at("values").at("valid_nll") > 0.0);
  CHECK(trials(other) == expected);
}

TEST_CASE("an option that the experiment sets itself is refused before any training", "[e2e]") {
  const EmbeddedExperiment experiment;
  const auto result = experiment.run(EmbeddedExperiment::text("test.de.gz"), {"--set", "seed=3"});
  CHECK(result.exit_code == 2);
  CHECK(result.err.find("--set: seed is set by the experiment") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(experiment.folder / "out" / "REPORT.md"));
}

TEST_CASE("a report without a training says that nothing was measured", "[e2e]") {
  const EmbeddedExperiment experiment;
  const auto missing = test::dragoman(experiment.command("report"));
  CHECK(missing.exit_code == 1);
  CHECK(missing.err.find(": no such folder; give -o that of 'experiment run'") !=
        std::string::npos);

  std::filesystem::create_directory(experiment.folder / "out");
  const auto result = test::dragoman(test::with(
      experiment.command("report"), {"--report", (experiment.folder / "page").string()}));
  CAPTURE(result.err);
  REQUIRE(result.exit_code == 0);
  CHECK(test::content_of(experiment.folder / "page" / "REPORT.md").find("0 of 2 training runs") !=
        std::string::npos);
}

TEST_CASE("findings stay with the kept training runs that they are about", "[e2e]") {
  const auto kept = test::source_folder() / "configs/experiments/report/results.json";
  const test::TemporaryDirectory folder;
  const auto made =
      test::dragoman({"experiment", "report", "tasks", "-o", (folder / "runs").string(), "--report",
                      (folder / "report").string(), "--kept", kept.string()});
  CAPTURE(made.err);
  REQUIRE(made.exit_code == 0);
  const auto practice = [](const std::filesystem::path& file) {
    const auto results = test::read_json(file);
    for (const auto& experiment : results.at("experiments"))
      if (experiment.at("name") == "tasks") return experiment.value("practice", "");
    return std::string();
  };
  CHECK_FALSE(practice(kept).empty());
  CHECK(practice(folder / "report" / "results.json") == practice(kept));
}

TEST_CASE("kept results are not replaced by fewer", "[e2e]") {
  const auto kept = test::source_folder() / "configs/experiments/report/results.json";
  const test::TemporaryDirectory folder;
  std::filesystem::copy_file(kept, folder / "results.json");
  const auto refused =
      test::dragoman({"experiment", "report", "tasks", "-o", (folder / "runs").string(), "--report",
                      folder.path().string(), "--kept", (folder / "results.json").string()});
  CAPTURE(refused.err);
  CHECK(refused.exit_code == 2);
  CHECK(refused.err.find("without its results of ") != std::string::npos);
  CHECK(test::content_of(folder / "results.json") == test::content_of(kept));
}

TEST_CASE("a replaced report keeps its findings, and one that cannot be read is not replaced",
          "[e2e]") {
  const auto kept = test::source_folder() / "configs/experiments/report/results.json";
  const test::TemporaryDirectory folder;
  const auto report = [&](const std::vector<std::string>& names) {
    return test::dragoman(
        test::with(test::with({"experiment", "report"}, names), {"-o", folder.path().string()}));
  };
  std::filesystem::copy_file(kept, folder / "results.json");
  const auto made = report({"tasks"});
  CAPTURE(made.err);
  REQUIRE(made.exit_code == 0);
  CHECK(made.err.find("is replaced, without its results of ") != std::string::npos);
  std::ofstream(folder / "results.json") << "[]";
  const auto refused = report({"tasks"});
  CHECK(refused.exit_code == 1);
  CHECK(refused.err.find("results.json") != std::string::npos);
  CHECK(test::content_of(folder / "results.json") == "[]");
}

TEST_CASE("the report of kept results is written again without their training runs", "[e2e]") {
  const auto kept = test::source_folder() / "configs" / "experiments" / "report";
  const test::TemporaryDirectory folder;
  const auto result = test::dragoman(
      {"experiment", "page", (kept / "results.json").string(), "-o", (folder / "page").string()});
  CAPTURE(result.err);
  REQUIRE(result.exit_code == 0);
  const auto page = test::content_of(folder / "page" / "report.html");
  CHECK(page.find("<ul class=\"counts\">") != std::string::npos);
  CHECK(page.find("The best weights by train.early_stopping_metric") != std::string::npos);
  CHECK(page.find("jackknife over 20 groups of lines") != std::string::npos);
  CHECK(page.find("In practice: ") != std::string::npos);
  CHECK(test::content_of(folder / "page" / "REPORT.md").starts_with("# Experiments\n"));
  CHECK(test::dragoman(
            {"experiment", "page", (kept / "REPORT.md").string(), "-o", (folder / "none").string()})
            .exit_code == 1);
  CHECK_FALSE(std::filesystem::exists(folder / "none"));
}

TEST_CASE("an unknown experiment is refused with those that there are", "[e2e]") {
  const EmbeddedExperiment experiment;
  const auto result =
      test::dragoman({"experiment", "list", "--definitions", experiment.folder.path().string()});
  CHECK(result.exit_code == 2);  // base.json is no experiment
  const auto listed = test::dragoman(
      {"experiment", "list", "--definitions", (experiment.folder / "definitions").string()});
  CHECK(listed.exit_code == 0);
  CHECK(listed.out.find("width: Wide or <narrow>?") != std::string::npos);
  const auto unknown =
      test::dragoman({"experiment", "run", "widht", "-o", (experiment.folder / "out").string(),
                      "--definitions", (experiment.folder / "definitions").string()});
  CHECK(unknown.exit_code == 2);
  CHECK(unknown.err.find("no experiment \"widht\"") != std::string::npos);
  CHECK(unknown.err.find("choose width or all") != std::string::npos);
}

}  // namespace experiment_test
