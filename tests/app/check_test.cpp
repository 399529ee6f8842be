#include "app/checked_text.h"
#include "support/catch.h"
#include "support/program.h"

#include <nlohmann/json.hpp>

#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace check_test {

namespace {

using test::contains;
using test::dragoman;
using Text = test::CheckedText;

nlohmann::json first_record(const std::filesystem::path& run_dir) {
  std::istringstream lines(test::content_of(run_dir / "train.jsonl"));
  std::string line;
  std::getline(lines, line);
  return nlohmann::json::parse(line);
}

}  // namespace

TEST_CASE("a check states the budget in 80 columns and ends with a verdict", "[e2e]") {
  const Text text;
  const auto result =
      text.run({"train.max_epochs=3", "train.warmup_steps=2", "train.patience=0", "--check"});
  CAPTURE(result.out, result.err);
  REQUIRE(result.exit_code == 0);
  for (const std::string part :
       {"parameters", "an epoch", "updates (train.max_", "memory", "free", "disk"})
    CHECK_THAT(result.out, contains(part));
  CHECK_THAT(result.out, contains("Ready to train: no warnings.\n"));
  std::istringstream lines(result.out);
  for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 80);
  CHECK_FALSE(std::filesystem::exists(text.folder / "run"));
}

TEST_CASE("a check of a small text knows the updates of an epoch exactly", "[e2e]") {
  const Text text;
  const std::vector<std::string> settings = {"train.max_steps=2", "train.batch_tokens=1500",
                                             "data.drop_duplicates=true", "data.max_length=12"};
  const auto check = text.run(test::with(settings, {"--check", "--json"}));
  CAPTURE(check.err);
  REQUIRE(check.exit_code == 0);
  const auto report = nlohmann::json::parse(check.out);
  CHECK(report.at("estimate").at("measured") == true);
  CHECK(report.at("budget").at("limit") == "train.max_steps");
  CHECK(report.at("free_memory_mb") > 0);
  const auto training = text.run(settings);
  REQUIRE(training.exit_code == 0);
  const auto too_long = report.at("estimate").at("too_long_pairs").get<int>();
  CHECK(too_long > 0);
  CHECK_THAT(training.err, contains(std::to_string(too_long) + " too long"));
  const auto start = first_record(text.folder / "run");
  CHECK(report.at("estimate").at("updates_per_epoch") == start.at("updates_per_epoch"));
  CHECK(report.at("estimate").at("parameters") == start.at("parameters"));

  auto more = settings;
  more.front() = "train.max_steps=7";
  const auto again = text.run(test::with(more, {"--check", "--json"}));
  REQUIRE(again.exit_code == 0);
  const auto rest = nlohmann::json::parse(again.out);
  CHECK(rest.at("done_updates") == 2.0);
  CHECK(rest.at("budget").at("updates") == 5.0);
  CHECK(rest.at("estimate").at("disk_bytes") < report.at("estimate").at("disk_bytes"));
  CHECK_THAT(text.run(test::with(more, {"--check"})).out, contains("5 updates after 2 ("));
}

TEST_CASE("sides that do not belong together are warned of by check and training", "[e2e]") {
  Text text;
  std::shuffle(text.target.begin(), text.target.end(), std::mt19937_64(1));
  text.write();
  const auto check = text.run({"train.max_steps=1", "--check"});
  CHECK(check.exit_code == 0);
  CHECK_THAT(check.out, contains("unrelated"));  // the screen breaks lines
  CHECK_THAT(check.out, contains("Ready to train, with "));
  const auto training = text.run({"train.max_steps=1"});
  CHECK(training.exit_code == 0);
  CHECK_THAT(training.err, contains("the sides seem unrelated"));
}

TEST_CASE("text without spaces, and characters that would be replaced, are warned of", "[e2e]") {
  Text text;
  for (auto& line : text.target) {
    std::erase(line, ' ');
    line = "\xEF\xBC\x81" + line;  // U+FF01
  }
  text.write();
  const std::vector<std::string> validation = {
      "data.valid_source=" + (text.folder / "a.src").string(),
      "data.valid_target=" + (text.folder / "a.tgt").string(), "train.max_steps=1"};
  const auto check = text.run(test::with(validation, {"--check"}));
  CHECK(check.exit_code == 0);
  CHECK_THAT(check.out, contains("U+FF01") && contains("13a"));  // the screen breaks lines
  const auto training = text.run(validation);
  CAPTURE(training.err);
  CHECK(training.exit_code == 0);
  CHECK_THAT(training.err,
             contains("a.tgt: in 100.0 % of its first lines, the tokenizer replaces or "
                      "joins characters, such as U+FF01"));
  CHECK_THAT(training.err, contains("1.0 tokens per line by tokenizer 13a"));
}

TEST_CASE("a model beyond the memory is not tried but warned of", "[e2e]") {
  const Text text;
  const auto result = text.run({"model.d_model=32768", "model.d_ff=131072",
                                "model.encoder_layers=6", "train.max_steps=1", "--check"});
  CAPTURE(result.out, result.err);
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out, contains("WARNING: memory: this training needs"));
  CHECK_THAT(result.out, contains("the model was not tried"));
}

TEST_CASE("a check refuses what a training would refuse, with its exit code", "[e2e]") {
  const Text text;
  for (const std::string wrong : {"tokenizer.vocab_size=5000", "train.batch_tokens=3"}) {
    const auto check = text.run({"train.max_steps=1", wrong, "--check"});
    CAPTURE(wrong, check.out, check.err);
    CHECK(check.exit_code == 2);
    CHECK_THAT(check.out, contains("problem:"));
    CHECK_THAT(check.out, contains("Training will be refused: 1 problem above."));
    CHECK(text.run({"train.max_steps=1", wrong}).exit_code == 2);
  }
}

TEST_CASE("a check of a run that exists compares the configurations, as its training does",
          "[e2e]") {
  const Text text;
  REQUIRE(text.run({"train.max_steps=2"}).exit_code == 0);
  CHECK(first_record(text.folder / "run").at("version").is_string());
  CHECK(text.run({"train.max_steps=3", "--check"}).exit_code == 0);
  const auto other = text.run({"train.max_steps=3", "model.dropout=0.4", "--check"});
  CAPTURE(other.out, other.err);
  CHECK(other.exit_code == 2);
  CHECK_THAT(other.out, contains("model.dropout"));
  CHECK(text.run({"train.max_steps=3", "model.dropout=0.4"}).exit_code == 2);
}

TEST_CASE("a check of a run that exists compares the training text, and writes nothing", "[e2e]") {
  const Text text;
  REQUIRE(text.run({"train.max_steps=2"}).exit_code == 0);
  std::filesystem::remove(text.folder / "run/data/text.json");
  CHECK(text.run({"train.max_steps=3", "--check"}).exit_code == 0);
  CHECK_FALSE(std::filesystem::exists(text.folder / "run/data/text.json"));
  for (const auto* name : {"a.src", "a.tgt"})
    std::ofstream(text.folder / name, std::ios::app) << "abc\n";
  const auto check = text.run({"train.max_steps=3", "--check"});
  CAPTURE(check.out, check.err);
  CHECK(check.exit_code == 1);
  CHECK_THAT(check.out, contains("training text"));
  CHECK(text.run({"train.max_steps=3"}).exit_code == 1);
}

TEST_CASE("a check of a run that exists counts with what that run chose for its device", "[e2e]") {
  const Text text;
  REQUIRE(text.run({"train.max_steps=2", "train.batch_tokens=300"}).exit_code == 0);
  const auto check = text.run({"train.max_steps=3", "train.batch_tokens=0", "--check", "--json"});
  CAPTURE(check.err);
  REQUIRE(check.exit_code == 0);
  CHECK(nlohmann::json::parse(check.out).at("estimate").at("updates_per_epoch") ==
        first_record(text.folder / "run").at("updates_per_epoch"));
}

TEST_CASE("the run's own folder is no folder for the text, which is refused at once", "[e2e]") {
  const Text text;
  const auto run = text.folder / "run";
  for (const auto& folder : {run, run / ".", text.folder / "other/../run"})
    for (const auto* check : {"--check", "--quiet"}) {
      const auto refused = text.run({"--data-cache", folder.string(), check});
      CAPTURE(folder, check, refused.out);
      CHECK(refused.exit_code == 2);
      CHECK_THAT(refused.out + refused.err, contains("--data-cache: " + folder.string()));
      CHECK_FALSE(std::filesystem::exists(run));
    }
}

TEST_CASE("a check refuses a run folder that cannot be made", "[e2e]") {
  const Text text;
  std::ofstream(text.folder / "run") << "a file";
  const auto check = text.run({"train.max_steps=1", "--check"});
  CAPTURE(check.out, check.err);
  CHECK(check.exit_code == 1);
  CHECK_THAT(check.out, contains("problem: the run folder cannot be written: "));
  const auto standard = dragoman({"train", "--preset", "tiny", "-o", "-", "--check"});
  CHECK(standard.exit_code == 2);
  CHECK_THAT(standard.err, contains("--output: a folder is needed, not standard output"));
}

TEST_CASE("a missing validation text is told before pieces are learned", "[e2e]") {
  const Text text;
  const auto result = text.run({"train.max_steps=1", "--valid-source", "missing.src",
                                "--valid-target", (text.folder / "a.tgt").string()});
  CAPTURE(result.err);
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.err, contains("missing.src: cannot be opened"));
  CHECK_THAT(result.err, !contains("learning"));
  CHECK_FALSE(std::filesystem::exists(text.folder / "run"));
}

TEST_CASE("a validation text that is a pipe is refused by check and training", "[e2e]") {
  const Text text;
  const auto pipe = (text.folder / "pipe").string();
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  for (const std::string mode : {"--check", "--quiet"}) {
    const auto refused = text.run({"train.max_steps=1", mode, "--valid-source",
                                   (text.folder / "a.src").string(), "--valid-target", pipe});
    CAPTURE(mode, refused.out, refused.err);
    CHECK(refused.exit_code == 1);
    CHECK_THAT(refused.out + refused.err, contains("regular") && !contains(" and 0 lines"));
  }
  CHECK_FALSE(std::filesystem::exists(text.folder / "run"));
}

TEST_CASE("a check has no numbers of a text that cannot be read", "[e2e]") {
  const Text text;
  const auto good = (text.folder / "a.tgt").string();
  const auto check = dragoman(test::with(
      test::tiny_training("missing.src", good, (text.folder / "run").string()), {"--check"}));
  CAPTURE(check.out);
  CHECK(check.exit_code == 1);
  CHECK_THAT(check.out, contains("problem: missing.src: cannot be opened") &&
                            !contains("longest") && !contains("pairs: "));
  CHECK(check.out.starts_with("problem: "));
  const auto valid = text.run(
      {"train.max_steps=1", "--check", "--valid-source", "missing.src", "--valid-target", good});
  CHECK_THAT(valid.out, contains("600 pairs: ") && !contains("  0 pairs: "));
}

TEST_CASE("settings of a tokenizer that is given are warned of, and --json needs --check",
          "[e2e]") {
  const Text text;
  const auto given = text.run({"tokenizer.vocab_size=50", "--tokenizer", "pieces.model"});
  CAPTURE(given.err);
  CHECK(given.exit_code == 1);
  CHECK_THAT(given.err, contains("warning: --set tokenizer.vocab_size") &&
                            contains("has no effect, as the tokenizer is given"));
  CHECK(text.run({"train.max_steps=1", "--json"}).exit_code == 2);
  CHECK_FALSE(std::filesystem::exists(text.folder / "run"));
}

TEST_CASE("presets without validation text say what ends them", "[e2e]") {
  const Text text;
  const auto result = text.run({"train.max_steps=10", "train.warmup_steps=4000", "--check"});
  CAPTURE(result.out);
  CHECK_THAT(result.out, contains("WARNING: no validation text: train.patience cannot end"));
  CHECK_THAT(result.out, contains("WARNING: train.warmup_steps: 4000 is more than the 10 updates"));
}

}  // namespace check_test
