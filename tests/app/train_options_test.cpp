#include "support/catch.h"
#include "support/program.h"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace train_options_test {

using nlohmann::json;
using test::contains;
using test::dragoman;
using Words = std::vector<std::string>;

namespace {

/// The configuration that a training with these arguments would have.
json resolved(const Words& arguments) {
  const auto result =
      dragoman(test::with({"train", "--preset", "tiny", "--dump-config"}, arguments));
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  return json::parse(result.out);
}

std::string refused(const Words& arguments) {
  const auto result =
      dragoman(test::with({"train", "--preset", "tiny", "--dump-config"}, arguments));
  CHECK(result.exit_code == 2);
  CHECK(result.out.empty());
  return result.err;
}

}  // namespace

TEST_CASE("several corpora and their weights are one configuration", "[unit]") {
  const auto options = resolved(
      {"--train-source", "a", "b", "--train-target", "c", "d", "--set", "data.weights=[2,0.5]"});
  CHECK(options["data"]["weights"] == json::array({2.0, 0.5}));
  CHECK(options["data"]["train_target"] == json::array({"c", "d"}));
  CHECK_THAT(
      refused({"--train-source", "a", "--train-target", "c", "--set", "data.weights=[2,0.5]"}),
      contains("--set data.weights=[2,0.5]: 2 weights, but data.train_source has 1"));
}

TEST_CASE("the flags of train set the options they name", "[unit]") {
  const auto options =
      resolved({"--seed", "7", "--max-steps", "50", "--max-time", "1h30m", "--learning-rate", "0.5",
                "--batch-tokens", "1000", "--workers", "2", "--device", "cpu"});
  CHECK(options["seed"] == 7);
  CHECK(options["train"]["max_steps"] == 50);
  CHECK(options["train"]["max_seconds"] == 5400.0);
  CHECK(options["train"]["learning_rate"] == 0.5);
  CHECK(options["train"]["batch_tokens"] == 1000);
  CHECK(options["train"]["workers"] == 2);
  CHECK(options["train"]["device"] == "cpu");
  CHECK(resolved({"--max-steps", "2.5e3"})["train"]["max_steps"] == 2500);
  CHECK_THAT(refused({"--max-steps", "2.5"}), contains("expected a whole number, got \"2.5\""));
  CHECK_THAT(refused({"--max-steps", "1e30"}), contains("expected a whole number, got \"1e30\""));
}

TEST_CASE("a time is seconds, minutes, hours or days", "[unit]") {
  const auto seconds = [](const std::string& time) {
    return resolved({"--max-time", time})["train"]["max_seconds"].get<double>();
  };
  CHECK(seconds("3600") == 3600.0);
  CHECK(seconds("90m") == 5400.0);
  CHECK(seconds("2h") == 7200.0);
  CHECK(seconds("1.5h") == 5400.0);
  CHECK(seconds("45s") == 45.0);
  CHECK(seconds("1d") == 86400.0);
  CHECK(seconds("1h30m") == 5400.0);
  for (const std::string wrong : {"soon", "2x", "-5", "h", "1h30", "2 h", "nan", "inf", "nanh"})
    CHECK_THAT(refused({"--max-time", wrong}),
               contains("--max-time: expected a time such as 3600 (seconds), 90m"));
}

TEST_CASE("a flag and --set of the same option are refused", "[unit]") {
  CHECK_THAT(refused({"--max-steps", "5", "--set", "train.max_steps=6"}),
             contains("--max-steps: sets train.max_steps, which --set train.max_steps=6 sets too"));
  CHECK_THAT(refused({"--device", "cpu", "--set", "train.device=auto"}),
             contains("--device: sets train.device"));
}

TEST_CASE("a wrong flag is told with its name and the option's range", "[unit]") {
  CHECK_THAT(
      refused({"--max-steps", "0"}),
      contains(
          "--max-steps: train.max_steps: 0 is outside 1 to 1e12; choose a value in that range"));
  CHECK_THAT(refused({"--device", "gpu"}),
             contains("--device: train.device: \"gpu\" is not a device"));
}

TEST_CASE("the configuration is written to a file that trains the same, and nothing is trained",
          "[unit]") {
  const test::TemporaryDirectory folder;
  const auto file = (folder / "c.json").string();
  const auto result = dragoman({"train", "--preset", "small", "--seed", "3", "-o",
                                (folder / "run").string(), "--dump-config", file});
  CHECK(result.exit_code == 0);
  CHECK(result.out.empty());
  CHECK_FALSE(std::filesystem::exists(folder / "run"));
  const auto again = dragoman({"train", "-c", file, "--dump-config", "-"});
  CHECK(again.out == test::content_of(file));
  CHECK(json::parse(again.out)["seed"] == 3);
  const auto refused = dragoman({"train", "-c", file, "--set", "seed=4", "--dump-config", file});
  CHECK(refused.exit_code == 2);
  CHECK_THAT(refused.err, test::contains("c.json: is a file that is read"));
  CHECK(test::content_of(file) == again.out);
}

TEST_CASE("an option of classifiers is warned of", "[unit]") {
  const auto result = dragoman({"train", "--preset", "tiny", "--dump-config", "--train-source", "a",
                                "--train-target", "b", "--set", "model.pooling=first"});
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.err,
             contains("--set model.pooling=first: has no effect on the models of 'train'"));
}

}  // namespace train_options_test
