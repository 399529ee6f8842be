#include "support/catch.h"
#include "support/program.h"
#include "support/terminal.h"
#include "support/text.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <regex>

namespace progress_test {

namespace {

using Lines = std::vector<std::string>;

/// A training with validations, each update logged.
struct Letters {
  test::TemporaryDirectory folder;
  Letters() {
    test::write_letters(folder / "a.src", folder / "a.tgt");
    for (const char* side : {".src", ".tgt"})
      std::filesystem::copy_file(folder / (std::string("a") + side),
                                 folder / (std::string("valid") + side));
  }

  Lines training(const std::string& run, const Lines& settings = {}) const {
    const auto source = (folder / "a.src").string(), target = (folder / "a.tgt").string();
    auto arguments = test::tiny_training(source, target, (folder / run).string());
    arguments = test::with(arguments, {"train.validate_every=2", "search.beam_size=1"});
    arguments = test::with(arguments, settings);
    return test::with(arguments, {"--valid-source", (folder / "valid.src").string(),
                                  "--valid-target", (folder / "valid.tgt").string()});
  }
};

test::TerminalResult on_terminal(Lines arguments, int columns, const std::string& until = {}) {
  arguments.insert(arguments.begin(), test::program());
  return test::run_on_terminal(arguments, columns, until);
}

std::int64_t count_matching(const Lines& lines, const std::string& pattern) {
  const std::regex expression(pattern);
  return std::count_if(lines.begin(), lines.end(), [&](const std::string& line) {
    return std::regex_search(line, expression);
  });
}

/// The shell command that a line of the log names behind `label`.
std::string command_after(const std::string& log, const std::string& label) {
  for (const auto& line : test::split_lines(log))
    if (const auto at = line.find(label); at != std::string::npos)
      return line.substr(at + label.size());
  return {};
}

const std::string clock_time = "[0-9]{2}:[0-9]{2}:[0-9]{2}  ";

}  // namespace

TEST_CASE("on a terminal one live line stays below the records and leaves no row behind", "[e2e]") {
  const Letters letters;
  for (const int columns : {20, 40, 80, 110}) {
    CAPTURE(columns);
    const auto result = on_terminal(
        letters.training("run" + std::to_string(columns), {"train.max_steps=6"}), columns);
    CAPTURE(result.output);
    REQUIRE(result.exit_code == 0);
    const auto screen = test::screen_of(result.output, static_cast<std::size_t>(columns));
    CHECK_FALSE(screen.live_line_wrapped);
    CHECK(result.output.find("\rep 1") == std::string::npos);
    CHECK(count_matching(screen.rows, "^ep [0-9]") == 0);
    CHECK(screen.rows.back().empty());
    if (columns < 80) continue;  // elsewhere the log's own lines are wrapped
    CHECK(count_matching(screen.rows, clock_time + "ep [0-9]+  step [0-9]+  loss ") == 6);
    CHECK(count_matching(screen.rows, "^dragoman:   translation  ") == 6);
    CHECK(count_matching(screen.rows, "tok/s$|tok/s  ") == 6);
  }
}

TEST_CASE("a pipe gets the records as lines and no control sequence", "[e2e]") {
  const Letters letters;
  const auto result = test::dragoman(letters.training("run", {"train.max_steps=6"}));
  CAPTURE(result.err);
  REQUIRE(result.exit_code == 0);
  CHECK(result.out.empty());
  CHECK(result.err.find('\033') == std::string::npos);
  CHECK(result.err.find('\r') == std::string::npos);
  const auto lines = test::split_lines(result.err);
  CHECK(count_matching(lines, clock_time + "ep [0-9]+  step [0-9]+  loss .* lr .* norm ") == 6);
  CHECK(count_matching(lines, "learning 60 pieces from ") == 1);
  CHECK(count_matching(lines, "learned 60 pieces in ") == 1);
  CHECK(count_matching(lines, "until 6 updates \\([0-9.]+ epochs of [0-9]+ updates?\\)") == 1);
}

TEST_CASE("a validation says how good it is, where it is saved, and shows two translations",
          "[e2e]") {
  const Letters letters;
  const auto result = test::dragoman(letters.training("run", {"train.max_steps=4"}));
  const auto lines = test::split_lines(result.err);
  CAPTURE(result.err);
  CHECK(count_matching(lines, clock_time + "validation at step 2 \\([0-9]+ s\\): best so far") ==
        1);
  CHECK(count_matching(lines, "  loss .*  ppl .*  accuracy .* %  bleu .*  chrf ") == 2);
  for (const char* label : {"source ", "translation ", "reference "})
    CHECK(count_matching(lines, std::string("dragoman:   ") + label) == 4);
  CHECK(count_matching(lines, "saved " + (letters.folder / "run").string() +
                                  "/checkpoints/step-00000002") == 1);
}

TEST_CASE("without a gain a validation says for how long there was none", "[e2e]") {
  const Letters letters;
  const auto result =
      test::dragoman(letters.training("run", {"train.max_steps=20", "train.learning_rate=1e-12",
                                              "train.schedule=constant", "train.patience=3"}));
  CAPTURE(result.err);
  const auto lines = test::split_lines(result.err);
  CHECK(count_matching(lines, "2 of 3 without improvement, best loss [0-9.]+ at step [0-9]+") >= 1);
  CHECK(count_matching(lines, "no improvement of loss in 3 validations \\(train.patience\\)") == 1);
}

TEST_CASE("with --log-time a record has the time of day once", "[e2e]") {
  const Letters letters;
  const auto result = test::dragoman(test::with(letters.training("run"), {"--log-time"}));
  const auto lines = test::split_lines(result.err);
  CAPTURE(result.err);
  CHECK(count_matching(lines, "^[0-9:]{8} dragoman: ep [0-9]+  step [0-9]+  loss ") == 4);
}

TEST_CASE("with --log error and --quiet neither a terminal nor a pipe gets anything", "[e2e]") {
  const Letters letters;
  CHECK(on_terminal(test::with(letters.training("one"), {"--log", "error"}), 80).output == "");
  const auto quiet = test::with(letters.training("two", {"train.warmup_steps=2"}), {"--quiet"});
  CHECK(on_terminal(quiet, 80).output == "");
  CHECK(test::dragoman(test::with(letters.training("three"), {"--log", "error"})).err.empty());
}

TEST_CASE("the closing commands train longer and translate as they are printed", "[e2e]") {
  const Letters letters;
  const auto result = test::dragoman(letters.training("the run's", {}));
  CAPTURE(result.err);
  REQUIRE(result.exit_code == 0);
  const auto run_dir = (letters.folder / "the run's").string();
  CHECK(result.err.find("saved: " + run_dir + "/checkpoints/step-00000004") != std::string::npos);
  const auto longer = test::run({"sh", "-c", command_after(result.err, "to train longer: ")});
  CAPTURE(longer.err);
  CHECK(longer.exit_code == 0);
  CHECK(longer.err.find("resuming at step 4") != std::string::npos);
  CHECK(longer.err.find("ended at step 8: train.max_steps 8 reached") != std::string::npos);
  auto translate = command_after(longer.err, "to translate: ");
  const auto input = translate.find("< INPUT > OUTPUT");
  REQUIRE(input != std::string::npos);
  const auto translated = test::run({"sh", "-c", translate.substr(0, input)}, {.text = "a b c\n"});
  CAPTURE(translated.err);
  CHECK(translated.exit_code == 0);
  CHECK(test::split_lines(translated.out).size() == 1);
}

TEST_CASE("a training whose learning rate has fallen to 0 suggests no longer one", "[e2e]") {
  const Letters letters;
  const auto decayed = Lines{"train.schedule=cosine", "train.warmup_steps=1", "train.max_steps=100",
                             "train.decay_steps=3"};
  const auto ended = [&](const std::string& run, const Lines& limits) {
    return test::dragoman(letters.training(run, test::with(decayed, limits))).err;
  };
  const auto longer = std::string("to train longer: ");
  CHECK(ended("early", {"train.max_steps=2"}).find(longer) != std::string::npos);
  const auto late = ended("late", {"train.max_epochs=5"});
  CAPTURE(late);
  CHECK(late.find("train.max_epochs 5 reached") != std::string::npos);
  CHECK(late.find(longer) == std::string::npos);
}

TEST_CASE("Ctrl-C stops with a word at once, saves, and says how to resume", "[e2e]") {
  const Letters letters;
  const auto settings = Lines{"train.max_steps=1000000", "train.checkpoint_every=1000000",
                              "train.validate_every=1000000"};
  const auto result = on_terminal(letters.training("run", settings), 110, "step 3 ");
  CAPTURE(result.output);
  CHECK(result.exit_code == 130);
  const auto screen = test::screen_of(result.output, 110);
  CHECK(count_matching(screen.rows, "stopping, then saving") == 1);
  CHECK(count_matching(screen.rows, "stopped by Ctrl-C at step [0-9]+") == 1);
  CHECK(count_matching(screen.rows, "to resume: .*dragoman train -o ") == 1);
  CHECK(count_matching(screen.rows, "^ep [0-9]") == 0);
}

TEST_CASE("a training whose log nobody reads any more saves and ends with 141", "[e2e]") {
  const Letters letters;
  const auto settings = Lines{"train.max_steps=1000000", "train.checkpoint_every=1000000",
                              "train.validate_every=1000000"};
  const auto code = (letters.folder / "code").string();
  const auto result =
      test::run(test::with({"bash", "-c", R"({ "$@" 2>&1; echo $? > "$0"; } | grep -m 1 'step 3 ')",
                            code, test::program()},
                           letters.training("run", settings)));
  CHECK_THAT(result.out, test::contains("step 3 "));
  CHECK(test::content_of(code) == "141\n");
  CHECK(std::filesystem::exists(letters.folder / "run/latest"));
  CHECK(test::content_of(letters.folder / "run/latest") != "step-00000000\n");
}

TEST_CASE("a record after a resume counts the time of the whole window", "[e2e]") {
  const Letters letters;
  const auto settings = Lines{"train.log_every=4", "train.validate_every=1000"};
  REQUIRE(test::dragoman(letters.training("run", test::with(settings, {"train.max_steps=7"})))
              .exit_code == 0);
  const auto run_dir = letters.folder / "run";
  const auto state = nlohmann::json::parse(
      test::content_of(run_dir / "checkpoints" / "step-00000007" / "state.json"));
  const auto before =
      std::strtod(state.at("window").at("seconds").get<std::string>().c_str(), nullptr);
  CHECK(before > 0.0);
  REQUIRE(test::dragoman(letters.training("run", test::with(settings, {"train.max_steps=8"})))
              .exit_code == 0);
  double tokens = 0.0, rate = 0.0;
  for (const auto& line : test::split_lines(test::content_of(run_dir / "train.jsonl"))) {
    const auto record = nlohmann::json::parse(line);
    if (record.at("event") != "train") continue;
    tokens = record.at("target_tokens").get<double>() - tokens;
    rate = record.at("target_tokens_per_second");
  }
  CHECK(tokens / rate > before);  // seconds of the window
}

TEST_CASE("a classifier's training shows the same", "[e2e]") {
  const Letters letters;
  const auto& folder = letters.folder;
  std::ofstream labels(folder / "labels");
  for (int i = 0; i < 60; ++i) labels << (i % 2 == 0 ? "even" : "odd") << '\n';
  labels.close();
  const auto run_dir = (folder / "run").string(), text = (folder / "a.src").string(),
             label = (folder / "labels").string();
  const Lines arguments{"classify",
                        "train",
                        "--preset",
                        "tiny",
                        "--text",
                        text,
                        "--labels",
                        label,
                        "--valid-text",
                        text,
                        "--valid-labels",
                        label,
                        "-o",
                        run_dir,
                        "--set",
                        "model.d_model=16",
                        "model.d_ff=32",
                        "model.num_heads=2",
                        "model.encoder_layers=1",
                        "tokenizer.vocab_size=40",
                        "train.max_steps=3",
                        "train.log_every=1",
                        "train.validate_every=3"};
  const auto result = on_terminal(arguments, 100);
  CAPTURE(result.output);
  REQUIRE(result.exit_code == 0);
  const auto screen = test::screen_of(result.output, 100);
  CHECK_FALSE(screen.live_line_wrapped);
  CHECK(count_matching(screen.rows, clock_time + "ep [0-9]+  step [0-9]+  loss ") == 3);
  CHECK(count_matching(screen.rows, "validation at step 3 .* best so far") == 1);
  CHECK(count_matching(screen.rows, "to classify: .*dragoman classify predict -m ") == 1);
  CHECK(count_matching(screen.rows, "^ep [0-9]") == 0);
}

}  // namespace progress_test
