#include "support/catch.h"
#include "support/program.h"
#include "support/text.h"

#include <algorithm>

namespace experiment_task_test {

namespace {

using test::dragoman;

/// A text written by "experiment task".
struct WrittenTask {
  test::TemporaryDirectory folder;

  test::ProcessResult write(const std::vector<std::string>& arguments) const {
    return dragoman(test::with({"experiment", "task"},
                               test::with(arguments, {"-o", (folder / "text").string()})));
  }

  std::string path(const std::string& name) const { return (folder / name).string(); }
  std::string text(const std::string& name) const { return (folder / "text" / name).string(); }
};

/// How a task is learned.
struct Effort {
  int steps = 250, vocab_size = 25, batch_tokens = 600;
};

/// Trains on a task's text and translates its 300 test lines, which are not among it.
/// \return how many are exactly right
std::size_t exact_answers(const std::string& name, const Effort& effort) {
  const WrittenTask task;
  const auto written =
      task.write({name, "--length", "3", "4", "5", "--symbols", "10", "--pairs", "6000"});
  CAPTURE(name, written.err);
  REQUIRE(written.exit_code == 0);
  CHECK_THAT(written.out, test::contains("train\t6000 pairs\n"));
  const auto set = [](const std::string& key, int value) {
    return key + "=" + std::to_string(value);
  };
  const auto trained = dragoman(
      {"train", "-c", (test::source_folder() / "configs" / "task.json").string(), "--train-source",
       task.text("train.source"), "--train-target", task.text("train.target"), "-o",
       task.path("run"), "--set", set("tokenizer.vocab_size", effort.vocab_size),
       set("train.max_steps", effort.steps), set("train.decay_steps", effort.steps),
       set("train.batch_tokens", effort.batch_tokens)});
  CAPTURE(trained.err);
  REQUIRE(trained.exit_code == 0);
  const auto translated =
      dragoman({"translate", "-m", task.path("run"), "-i", task.text("test.source")});
  REQUIRE(translated.exit_code == 0);
  const auto answers = test::split_lines(translated.out),
             right = test::split_lines(test::content_of(task.text("test.target")));
  REQUIRE(answers.size() == 300);
  REQUIRE(right.size() == 300);
  std::size_t exact = 0;
  for (std::size_t i = 0; i < right.size(); ++i) exact += answers[i] == right[i] ? 1 : 0;
  return exact;
}

}  // namespace

TEST_CASE("a reversal is learned from text by train and right on unseen lines by translate",
          "[e2e][slow]") {
  CHECK(exact_answers("reverse", {.steps = 250}) > 285);
}

TEST_CASE("copying and sorting are learned from text and right on unseen lines", "[e2e][slow]") {
  CHECK(exact_answers("copy", {.steps = 180}) > 285);
  CHECK(exact_answers("sort", {.steps = 250}) > 285);
}

TEST_CASE("answers to questions are learned from text and right on unseen lines", "[e2e][slow]") {
  CHECK(exact_answers("question", {.steps = 400, .vocab_size = 60, .batch_tokens = 1500}) > 285);
}

TEST_CASE("a task that there is not, and lengths that it cannot have, are refused", "[e2e]") {
  const WrittenTask task;
  CHECK(task.write({"shuffle"}).exit_code == 2);
  const auto refused = task.write({"agreement", "--distance", "1"});
  CHECK(refused.exit_code == 2);
  CHECK_THAT(refused.err, test::contains("task: lengths: 1 is outside 2 to"));
}

TEST_CASE("an experiment about a task needs no text, one about a text asks for it", "[e2e]") {
  const WrittenTask task;
  std::filesystem::create_directory(task.folder / "definitions");
  std::ofstream(task.folder / "base.json") << R"({
      "model": {"d_model": 16, "d_ff": 32, "num_heads": 2,
                "encoder_layers": 1, "decoder_layers": 1},
      "tokenizer": {"vocab_size": 25},
      "train": {"max_steps": 3, "batch_tokens": 500, "validate_translations": false, "workers": 1},
      "search": {"greedy": true, "max_length": 10}})";
  std::ofstream(task.folder / "definitions" / "toy.json") << R"({
      "title": "Toys?", "about": "Three updates.", "config": "../base.json",
      "seeds": [1], "expected_minutes": 1,
      "task": {"kind": "copy", "train": 200, "valid": 20, "test": 30,
               "lengths": [2, 4], "symbols": 10},
      "measure": ["answers"],
      "variants": [{"name": "copy"},
                   {"name": "sort", "task": {"kind": "sort", "train": 200, "symbols": 10}}],
      "columns": ["answers"],
      "figures": [{"kind": "answers", "title": "Right", "x": "letters"}],
      "claims": [{"says": "Copies", "measure": "answers",
                  "compare": [{"of": "copy", "expect": "higher", "value": 0.5}]}]})";
  std::ofstream(task.folder / "definitions" / "text.json") << R"({
      "title": "Text?", "about": "", "config": "../base.json", "seeds": [1],
      "variants": [{"name": "plain"}]})";
  const auto run = [&](const std::string& name) {
    return dragoman({"experiment", "run", name, "-o", task.path("out"), "--definitions",
                     task.path("definitions")});
  };
  const auto first = run("toy");
  CAPTURE(first.err);
  REQUIRE(first.exit_code == 0);
  const auto report = test::content_of(task.folder / "out" / "REPORT.md");
  CHECK_THAT(report, test::contains("lines answered exactly of \"copy\" higher than 0.5000"));
  CHECK_THAT(report, test::contains("\n| 2 | "));
  CHECK_THAT(report, test::contains("\n| 8 | "));
  const auto refused = run("text");
  CHECK(refused.exit_code == 2);
  CHECK_THAT(refused.err,
             test::contains("experiment text: needs your own text; give --train-source"));
  const auto unused = dragoman({"experiment", "run", "toy", "-o", task.path("out"), "--definitions",
                                task.path("definitions"), "--valid-source", "valid.en"});
  CHECK(unused.exit_code == 0);
  CHECK_THAT(unused.err, test::contains("the given files are not read"));
}

}  // namespace experiment_task_test
