#include "support/catch.h"
#include "support/program.h"

#include <nlohmann/json.hpp>

#include <fstream>

namespace auto_preset_app_test {

namespace {

using test::contains;
using test::dragoman;

/// Trains with --preset auto on sixty pairs of letters, for a few updates.
struct AutoTraining {
  test::TemporaryDirectory folder;

  AutoTraining() { test::write_letters(folder / "a.src", folder / "a.tgt"); }

  std::string path(const std::string& name) const { return (folder / name).string(); }

  test::ProcessResult train(const std::string& steps,
                            const std::vector<std::string>& more = {}) const {
    return dragoman(test::with({"train",
                                "--preset",
                                "auto",
                                "--train-source",
                                path("a.src"),
                                "--train-target",
                                path("a.tgt"),
                                "--valid-source",
                                path("a.src"),
                                "--valid-target",
                                path("a.tgt"),
                                "-o",
                                path("run"),
                                "--max-steps",
                                steps,
                                "--set",
                                "tokenizer.vocab_size=60",
                                "model.d_model=16",
                                "model.d_ff=32",
                                "model.num_heads=2"},
                               more));
  }
};

}  // namespace

TEST_CASE("a training by --preset auto says why, stores all of it, and resumes", "[e2e]") {
  const AutoTraining training;
  const auto first = training.train("2");
  CAPTURE(first.err);
  REQUIRE(first.exit_code == 0);
  CHECK_THAT(first.err,
             contains("preset auto: 60 pairs with 300 target words, fewer than 3,000 "
                      "pairs: preset tiny with tokenizer.vocab_size=60 as given, not "
                      "1000 and model.dropout=0.2, with the training for a text of this size; "
                      "ends by itself after 6 validations"));
  const auto stored = nlohmann::json::parse(test::content_of(training.folder / "run/config.json"));
  CHECK(stored.at("model").at("encoder_layers") == 3);
  CHECK(stored.at("model").at("attention_dropout") == 0.0);
  CHECK(stored.at("train").at("schedule") == "cosine");
  CHECK(stored.at("model").at("dropout") == 0.2);
  CHECK(stored.at("model").at("d_model") == 16);
  CHECK(stored.at("train").at("patience") == 6);
  const auto same = training.train("4");
  CAPTURE(same.err);
  CHECK(same.exit_code == 0);
  CHECK_THAT(same.err, contains("resuming"));
  const auto without = dragoman({"train", "-o", training.path("run"), "--max-steps", "5"});
  CHECK(without.exit_code == 0);
  CHECK_THAT(without.err, contains("resuming") && !contains("preset auto"));
  const auto info = dragoman({"info", "-m", training.path("run")});
  CHECK(info.exit_code == 0);
  CHECK_THAT(info.out, contains("model.dropout               0.2"));
}

TEST_CASE("what --preset auto takes can be looked at before training", "[e2e]") {
  const AutoTraining training;
  const auto checked = training.train("2", {"--check"});
  CAPTURE(checked.err);
  CHECK(checked.exit_code == 0);
  CHECK_THAT(checked.err, contains("preset auto: 60 pairs"));
  CHECK_THAT(checked.out, contains("Ready to train"));
  const auto dumped =
      dragoman({"train", "--preset", "auto", "--train-source", training.path("a.src"),
                "--train-target", training.path("a.tgt"), "--dump-config"});
  REQUIRE(dumped.exit_code == 0);
  const auto config = nlohmann::json::parse(dumped.out);
  CHECK(config.at("tokenizer").at("vocab_size") == 1000);
  CHECK(config.at("model").at("dropout") == 0.2);
  CHECK(config.at("model").at("d_model") == 128);
}

TEST_CASE("a check by --preset auto reports errors in the text, as with any preset", "[e2e]") {
  const AutoTraining training;
  std::ofstream(training.path("a.src"), std::ios::app) << "one more\n";
  const auto checked = training.train("2", {"--check", "--json"});
  CAPTURE(checked.err);
  CHECK(checked.exit_code == 1);
  CHECK_THAT(checked.err, contains("the check uses preset tiny in place of a choice"));
  const auto report = nlohmann::json::parse(checked.out);
  CHECK(report.at("usable") == false);
  CHECK(report.at("training").at(0).at("source").at("lines") == 61);
  CHECK_THAT(report.at("problems").at(0).get<std::string>(), contains("have 61 and 60 lines"));
  const auto missing = dragoman({"train", "--preset", "auto", "--train-source", "none.a",
                                 "--train-target", training.path("a.tgt"), "--check"});
  CHECK(missing.exit_code == 1);
  CHECK_THAT(missing.out, contains("problem: none.a: cannot be opened"));
  CHECK(training.train("2").exit_code == 1);
}

TEST_CASE("a --preset auto without a text to choose by is refused", "[e2e]") {
  const auto refused = dragoman({"train", "--preset", "auto", "-o", "none"});
  CHECK(refused.exit_code == 2);
  CHECK_THAT(refused.err, contains("--preset auto: chooses by the size of the training text"));
  const auto missing = dragoman({"train", "--preset", "auto", "--train-source", "none.a",
                                 "--train-target", "none.b", "-o", "none"});
  CHECK(missing.exit_code == 1);
  CHECK_THAT(missing.err, contains("none.a"));
  const auto input = dragoman({"train", "--preset", "auto", "--train-source", "-", "--train-target",
                               "none.b", "-o", "none"});
  CHECK(input.exit_code == 2);
  CHECK_THAT(input.err, contains("is standard input, and training reads a text several times"));
}

TEST_CASE("what --preset auto cannot use is refused before the text is counted", "[e2e]") {
  const auto refused = [](const std::vector<std::string>& more) {
    return dragoman(test::with({"train", "--preset", "auto", "--train-source", "none.a",
                                "--train-target", "none.b", "-o", "none"},
                               more));
  };
  const auto missing = refused({"--init-from", "no-such-run"});
  CHECK(missing.exit_code == 1);
  CHECK_THAT(missing.err, contains("no-such-run: there is no such folder"));
  const auto timeout = refused({"--distributed-timeout", "0"});
  CHECK(timeout.exit_code == 2);
  CHECK_THAT(timeout.err, contains("--distributed-timeout 0 is outside 1 to 86400"));
}

}  // namespace auto_preset_app_test
