#include "app/teacher.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace synthetic_refusal_test {

using test::dragoman;
using test::Teacher;
namespace fs = std::filesystem;

TEST_CASE(
    "translations of something else in the run folder, or of no text, are refused, and "
    "settings for a text that is not read",
    "[e2e]") {
  const Teacher teacher;
  const auto run = teacher.in("run");
  for (const std::string setting :
       {"data.weights=[1.0]", R"(data.source_tag=["x"])", R"(data.target_tag=["x"])"}) {
    CAPTURE(setting);
    const auto refused = dragoman(teacher.command("distill", run, {setting}));
    CHECK(refused.exit_code == 2);
    CHECK_THAT(refused.err, test::contains(setting.substr(0, setting.find('=')) +
                                           " is for the original translations"));
    CHECK_FALSE(fs::exists(run));
  }
  for (const std::string setting : {"search.beem=2", "search.n_best=2", "train.max_steps=2"})
    for (const bool dump : {false, true}) {
      CAPTURE(setting, dump);
      std::vector<std::string> arguments{"--search", setting};
      if (dump) arguments.insert(arguments.end(), {"--dump-config", "-"});
      const auto refused = dragoman(teacher.command("distill", run, arguments));
      CHECK(refused.exit_code == 2);
      CHECK_THAT(refused.err, test::contains("--search " + setting.substr(0, setting.find('='))));
      CHECK_FALSE(fs::exists(run));
    }
  REQUIRE(dragoman(teacher.command("distill", run, {})).exit_code == 0);
  const auto other = dragoman(teacher.command("distill", run, {"--search", "search.beam_size=2"}));
  CHECK(other.exit_code == 1);
  CHECK_THAT(other.err, test::contains("holds translations by another model, search or language"));
  std::ofstream(teacher.small, std::ios::app) << "z\n";
  std::ofstream(teacher.capital, std::ios::app) << "Z\n";
  const auto text = dragoman(teacher.command("distill", run, {}));
  CHECK(text.exit_code == 1);
  CHECK_THAT(text.err, test::contains("holds translations of another text") &&
                           test::contains("or remove " + (fs::path(run) / "synthetic").string()));
  const auto none = dragoman({"back-translate", "-m", teacher.path, "--preset", "tiny", "-o",
                              teacher.in("x"), "--monolingual", teacher.small});
  CHECK(none.exit_code == 2);
  CHECK_THAT(none.err, test::contains("back-translate: no parallel text"));
  std::ofstream(teacher.in("blank")) << "\n \n";
  const auto translate = [&](const std::string& lines) {
    return dragoman(teacher.command("back-translate", teacher.in("y"), {"--monolingual", lines}));
  };
  const auto blank = translate(teacher.in("blank"));
  CHECK(blank.exit_code == 1);
  CHECK_THAT(blank.err, test::contains("blank: no line has text"));
  CHECK(translate(teacher.small).exit_code == 0);
}

TEST_CASE("interpolation without a beam or without given translations is refused", "[e2e]") {
  const Teacher teacher;
  for (const std::string setting :
       {"search.sample=true", "search.greedy=true", "search.beam_size=1"}) {
    CAPTURE(setting);
    const auto refused = dragoman(teacher.command("distill", teacher.in("run"),
                                                  {"--interpolate", "bleu", "--search", setting}));
    CHECK(refused.exit_code == 2);
    CHECK_THAT(refused.err, test::contains("--interpolate: chooses among the hypotheses"));
    CHECK_FALSE(fs::exists(teacher.in("run")));
  }
  const auto alone =
      dragoman({"distill", "-m", teacher.path, "--preset", "tiny", "-o", teacher.in("alone"),
                "--monolingual", teacher.small, "--interpolate", "bleu"});
  CHECK(alone.exit_code == 2);
  CHECK_THAT(alone.err, test::contains("--interpolate compares with given translations"));
}

TEST_CASE("each start ends if no translation can be used", "[e2e]") {
  const Teacher teacher;
  const auto cut_off =
      std::vector<std::string>{"--monolingual", teacher.small, "--search", "search.max_length=1"};
  for (int time = 0; time < 2; ++time) {
    const auto alone =
        dragoman({"distill", "-m", teacher.path, "--preset", "tiny", "-o", teacher.in("alone"),
                  "--monolingual", teacher.small, "--search", "search.max_length=1"});
    CHECK(alone.exit_code == 1);
    CHECK_THAT(alone.err, test::contains("there is no translation to train on"));
    const auto result = dragoman(teacher.command("back-translate", teacher.in("run"), cut_off));
    CHECK(result.exit_code == 1);
    CHECK_THAT(result.err, test::contains("there is no translation to train on"));
  }
}

TEST_CASE("what would end the training at once is found before the translation", "[e2e]") {
  const Teacher teacher;
  const auto run = teacher.in("run");
  const auto ends = [&](const std::vector<std::string>& arguments, const std::string& message) {
    const auto result = dragoman(arguments);
    CAPTURE(result.err, arguments);
    CHECK(result.exit_code != 0);
    CHECK_THAT(result.err, test::contains(message));
    CHECK_FALSE(fs::exists(fs::path(run) / "synthetic"));
  };
  const auto refused = [&](const std::vector<std::string>& more, const std::string& message) {
    ends(teacher.command("distill", run, more), message);
  };
  const auto refused_target = [&](const std::string& target, const std::string& message) {
    auto arguments = teacher.command("distill", run, {});
    std::ranges::replace(arguments, teacher.capital, target);
    ends(arguments, message);
  };
  const auto missing = teacher.in("missing");
  refused({"--valid-source", missing, "--valid-target", missing}, "missing: cannot be opened");
  std::ofstream(teacher.in("short")) << "a\n";
  refused({"--valid-source", teacher.small, "--valid-target", teacher.in("short")}, "short: have");
  refused({"--tokenizer", missing}, "missing");
  REQUIRE(::mkfifo(teacher.in("pipe").c_str(), 0600) == 0);
  refused({"--monolingual", teacher.in("pipe")}, "pipe: is not a regular file");
  refused_target(teacher.in("pipe"), "pipe: is not a regular file");
  refused({"--valid-source", teacher.small, "--valid-target", teacher.in("pipe")},
          "pipe: is not a regular file");
  refused({"--search", "seed=7"}, "--search seed: is for sampling");
  ends({"distill", "-m", teacher.path, "--preset", "tiny", "-o", run, "--monolingual",
        teacher.small, "--keep-original"},
       "--keep-original has no effect without parallel text");
  refused_target(missing, "missing: cannot be opened");
  refused_target(teacher.in("short"), "short: have");

  REQUIRE(dragoman(test::tiny_training(teacher.small, teacher.capital, run)).exit_code == 0);
  refused({}, "contains a run without the translations of 'distill'");
  fs::copy(fs::directory_iterator(fs::path(run) / "checkpoints")->path(), teacher.in("copy"));
  for (const std::string command : {"distill", "back-translate"})
    ends(teacher.command(command, teacher.in("copy"), {"--monolingual", teacher.small}),
         "copy: is a single checkpoint, not a run");
}

}  // namespace synthetic_refusal_test
