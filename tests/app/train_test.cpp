#include "dragoman/config/data_options.h"
#include "small_run.h"
#include "support/catch.h"
#include "support/hostile.h"
#include "support/program.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <random>
#include <regex>
#include <thread>

namespace train_test {

namespace {

using test::dragoman;

struct Letters {
  test::TemporaryDirectory folder;
  Letters() { test::write_letters(folder / "a.src", folder / "a.tgt"); }

  std::vector<std::string> training(const std::string& run,
                                    const std::vector<std::string>& settings = {}) const {
    return test::with(test::tiny_training((folder / "a.src").string(), (folder / "a.tgt").string(),
                                          (folder / run).string()),
                      settings);
  }
};

std::filesystem::path newest(const std::filesystem::path& run_dir) {
  std::filesystem::path found;
  for (const auto& entry : std::filesystem::directory_iterator(run_dir / "checkpoints"))
    if (entry.path().filename().string().find('.') == std::string::npos && entry.path() > found)
      found = entry.path();
  return found;
}

void sleep_seconds(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

}  // namespace

TEST_CASE("training text ends as the hostile cases say", "[e2e][slow]") {
  std::map<std::string, std::string> weights, same;
  for (const auto& hostile : test::hostile_cases("text-parallel")) {
    const std::string name = hostile.at("name");
    CAPTURE(name);
    const test::TemporaryDirectory folder;
    const auto run_dir = folder / "run";
    // The possible vocabularies differ from text to text: the message names the nearest.
    const auto arguments =
        test::with(test::tiny_training(test::hostile_file(hostile, 0).string(),
                                       test::hostile_file(hostile, 1).string(), run_dir.string()),
                   {"data.max_length=" + std::to_string(dragoman::DataOptions{}.max_length)});
    auto result = dragoman(arguments);
    std::smatch nearest;
    if (result.exit_code == 2 &&
        std::regex_search(result.err, nearest, std::regex("(?:largest|smallest)[^0-9]*([0-9]+)")))
      result = dragoman(test::with(arguments, {"tokenizer.vocab_size=" + nearest[1].str()}));
    CAPTURE(result.err);
    test::check_program_end(result);
    CHECK(test::allows_exit(hostile, result.exit_code));
    CHECK(test::allows_end(hostile, result.exit_code == 0));
    if (result.exit_code != 0) {
      CHECK(std::filesystem::is_empty(folder.path()));
      test::check_refusal(hostile, result.err);
      continue;
    }
    CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
    weights[name] = test::content_of(newest(run_dir) / "model.safetensors");
    CHECK_FALSE(weights[name].empty());
    if (hostile.contains("same_as")) same[name] = hostile.at("same_as").get<std::string>();
  }
  for (const auto& [name, other] : same) {
    CAPTURE(name, other);
    CHECK((weights.contains(other) && weights.at(name) == weights.at(other)));
  }
}

TEST_CASE("text that training refuses is refused as validation text and for scoring", "[e2e]") {
  const Letters letters;
  int refused = 0;
  for (const auto& hostile : test::hostile_cases("text-parallel")) {
    const auto name = hostile.at("name").get<std::string>();
    const auto source = test::hostile_file(hostile, 0).string(),
               target = test::hostile_file(hostile, 1).string();
    // Lines that are only too long for the training can be scored.
    const bool is_usable = hostile.value("message_where", "").starts_with("0 of ") &&
                           test::content_of(source).find_first_not_of("\n") != std::string::npos;
    if (hostile.at("expect") != "reject" || is_usable) continue;
    ++refused;
    CAPTURE(name);
    const auto training = dragoman(
        letters.training("run", {"data.valid_source=" + source, "data.valid_target=" + target}));
    CAPTURE(training.err);
    test::check_program_end(training);
    CHECK(test::allows_exit(hostile, training.exit_code));
    test::check_refusal(hostile, training.err);
    CHECK_FALSE(std::filesystem::exists(letters.folder / "run"));
    const auto score = dragoman(
        {"score", "-m", test::small_run().string(), "--source", source, "--target", target});
    CAPTURE(score.err);
    test::check_program_end(score);
    CHECK(test::allows_exit(hostile, score.exit_code));
    test::check_refusal(hostile, score.err);
  }
  CHECK(refused > 0);
}

TEST_CASE("a training that is killed again and again ends with the same bytes", "[e2e][slow]") {
  const Letters letters;
  const char* asked = std::getenv("DRAGOMAN_KILLS");
  const int kills = asked != nullptr ? std::atoi(asked) : 5;
  const std::vector<std::string> settings{
      "train.max_steps=" + std::to_string(50 * kills),
      "train.checkpoint_every=7",
      "train.workers=2",
      "train.batch_tokens=200",
      "data.max_length=100",
      "data.subword_sampling=0.2",
      "data.token_dropout=0.05",
      "data.valid_source=" + (letters.folder / "a.src").string(),
      "data.valid_target=" + (letters.folder / "a.tgt").string(),
      "train.validate_every=14",
      "train.validate_sentences=4",
      "train.patience=0"};
  REQUIRE(dragoman(letters.training("whole", settings)).exit_code == 0);
  std::mt19937 random(7);
  const auto share = [&] { return static_cast<double>(random() % 1000) / 1000.0; };
  for (int i = 0; i < kills; ++i) {
    // By turns somewhere in the start, which resumes from a checkpoint, and in the steps after it;
    // every seventh of them writes a checkpoint.
    auto training = test::start_dragoman(letters.training("parts", settings));
    if (i % 2 == 0) {
      sleep_seconds(0.5 * share());
    } else {
      const auto lines = 50 * (i - 1) + 10 + static_cast<std::ptrdiff_t>(30.0 * share());
      training.wait_until(
          [&] { return test::lines_in(letters.folder / "parts" / "train.jsonl") >= lines; });
      sleep_seconds(0.01 * share());
    }
    CHECK(training.end_with(SIGKILL) == 128 + SIGKILL);
  }
  const auto last = dragoman(letters.training("parts", settings));
  CAPTURE(last.err);
  REQUIRE(last.exit_code == 0);
  const auto losses = [&](const char* run) {
    std::istringstream lines(test::content_of(letters.folder / run / "train.jsonl"));
    std::vector<std::string> found;
    for (std::string line; std::getline(lines, line);) {
      const auto record = nlohmann::json::parse(line);
      if (record.at("event") == "train" || record.at("event") == "validation")
        found.push_back(record.at("event").dump() + record.at("step").dump() + " " +
                        record.at("loss").dump());
    }
    return found;
  };
  for (const char* file : {"model.safetensors", "optimizer.safetensors"})
    CHECK(test::content_of(newest(letters.folder / "whole") / file) ==
          test::content_of(newest(letters.folder / "parts") / file));
  CHECK(losses("whole") == losses("parts"));
  CHECK(losses("whole").size() == static_cast<std::size_t>(50 * kills + 50 * kills / 14 + 1));
  for (const char* mark : {"best-loss", "best-bleu", "best-chrf", "latest"})
    CHECK(test::content_of(letters.folder / "whole" / mark) ==
          test::content_of(letters.folder / "parts" / mark));
}

TEST_CASE("signals save and end with 128 and their number", "[e2e]") {
  std::signal(SIGHUP, SIG_DFL);  // which may be ignored, as under nohup
  const Letters letters;
  for (const int signal : {SIGTERM, SIGINT, SIGUSR1, SIGUSR2, SIGXCPU, SIGHUP}) {
    const std::string run = "run" + std::to_string(signal);
    auto training = test::start_dragoman(
        letters.training(run, {"train.max_steps=1000000", "train.checkpoint_every=1000000"}));
    CHECK(training.wait_until(
        [&] { return test::lines_in(letters.folder / run / "train.jsonl") >= 3; }));
    CHECK(training.end_with(signal) == 128 + signal);
    CHECK(newest(letters.folder / run).filename() != "step-00000000");
  }
}

TEST_CASE("a signal during a validation ends it at once, and the saved run resumes with it",
          "[e2e]") {
  const Letters letters;
  {
    std::ofstream source(letters.folder / "v.src"), target(letters.folder / "v.tgt");
    for (int i = 0; i < 20000; ++i) source << "a b c d e\n", target << "a b c d e\n";
  }
  const std::vector<std::string> settings{
      "train.max_steps=1", "train.validate_every=1",
      "data.valid_source=" + (letters.folder / "v.src").string(),
      "data.valid_target=" + (letters.folder / "v.tgt").string()};
  const auto run = letters.folder / "run";
  auto training = test::start_dragoman(letters.training("run", settings));
  const auto checkpoint = run / "checkpoints" / "step-00000001";
  CHECK(training.wait_until([&] { return std::filesystem::exists(checkpoint); }));
  sleep_seconds(0.3);
  CHECK(training.end_with(SIGTERM) == 143);
  CHECK_FALSE(std::filesystem::exists(checkpoint / "validation.json"));
  CHECK_FALSE(std::filesystem::exists(run / "best-loss"));
  const auto resumed =
      dragoman(letters.training("run", test::with(settings, {"train.validate_sentences=2"})));
  CAPTURE(resumed.err);
  CHECK(resumed.exit_code == 0);
  CHECK(std::filesystem::exists(checkpoint / "validation.json"));
  CHECK(test::content_of(run / "best-loss").starts_with("step-00000001"));
}

TEST_CASE("a check finds what is wrong and trains nothing", "[e2e]") {
  const Letters letters;
  const auto good = dragoman(letters.training("run", {"--check", "--json"}));
  CAPTURE(good.err);
  REQUIRE(good.exit_code == 0);
  CHECK(nlohmann::json::parse(good.out).at("estimate").at("parameters").get<int>() > 0);
  CHECK_FALSE(std::filesystem::exists(letters.folder / "run"));
  std::ofstream(letters.folder / "a.src", std::ios::app) << "one more\n";
  const auto bad = dragoman(letters.training("run", {"--check"}));
  CHECK(bad.exit_code == 1);
  CHECK(bad.out.find("61") != std::string::npos);
}

TEST_CASE("a vocabulary larger than the text can fill is refused with the largest possible",
          "[e2e]") {
  const Letters letters;
  const auto result = dragoman(letters.training("run", {"tokenizer.vocab_size=5000"}));
  CHECK(result.exit_code == 2);
  CHECK(std::regex_search(result.err, std::regex("vocab_size")));
  CHECK_FALSE(std::filesystem::exists(letters.folder / "run"));
}

TEST_CASE("a deeper model begins with the weights of a shallower one, and says which are new",
          "[e2e]") {
  const Letters letters;
  REQUIRE(dragoman(letters.training("run", {})).exit_code == 0);
  const auto run = (letters.folder / "run").string();
  auto deeper = letters.training("deep", {"model.encoder_layers=2", "train.max_steps=1"});
  const auto taken = dragoman(test::with(deeper, {"--init-from", run}));
  CAPTURE(taken.err);
  REQUIRE(taken.exit_code == 0);
  CHECK_THAT(taken.err, test::contains("initialised: tensor encoder.layers.1."));
  CHECK_THAT(taken.err, !test::contains("not used"));
  const auto both = dragoman(test::with(deeper, {"--init-from", run, "--start-from", run}));
  CHECK(both.exit_code == 2);
}

TEST_CASE("weights are not taken for another function of the same shapes without a word", "[e2e]") {
  const Letters letters;
  REQUIRE(dragoman(letters.training("run", {})).exit_code == 0);
  const auto run = (letters.folder / "run").string();
  const auto started = [&](const std::string& setting) {
    return dragoman({"train", "--start-from", run, "-o", (letters.folder / "further").string(),
                     "--set", setting, "train.max_steps=1"});
  };
  for (const std::string setting :
       {"model.num_heads=1", "model.activation=gelu", "model.encoder_attention.kind=linear"}) {
    CAPTURE(setting);
    const auto refused = started(setting);
    CHECK(refused.exit_code == 2);
    CHECK_THAT(refused.err, test::contains("its weights are of another model."));
    CHECK_FALSE(std::filesystem::exists(letters.folder / "further"));
  }
  CHECK(started("model.encoder_attention.kind=tiled").exit_code == 0);
  std::filesystem::remove_all(letters.folder / "further");
  CHECK(started("model.decoder_num_heads=2").exit_code == 0);  // as many as the encoder's
  const auto taken =
      dragoman(test::with(letters.training("fewer", {"model.num_heads=1"}), {"--init-from", run}));
  CHECK(taken.exit_code == 0);
  CHECK_THAT(taken.err, test::contains("were trained with another model.num_heads"));
}

TEST_CASE("a training in float64 resumes bit for bit, and its model is used like any other",
          "[e2e]") {
  const std::vector<std::string> settings = {"train.precision=float64", "train.workers=1",
                                             "train.checkpoint_every=2"};
  const test::TemporaryDirectory folder, other;
  const auto whole = test::train_small_run(folder, test::with(settings, {"train.max_steps=6"})),
             stopped = test::train_small_run(other, test::with(settings, {"train.max_steps=4"}));
  const auto resumed = dragoman({"train", "-o", stopped.string(), "--set", "train.max_steps=6"});
  CAPTURE(resumed.err);
  REQUIRE(resumed.exit_code == 0);
  for (const char* name : {"model.safetensors", "optimizer.safetensors"}) {
    const auto file = std::string("checkpoints/step-00000006/") + name;
    const auto content = test::content_of((whole / file).string());
    CHECK_THAT(content, test::contains("\"F64\"") && !test::contains("\"F32\""));
    CHECK(content == test::content_of((stopped / file).string()));
  }
  const auto average = (folder / "average").string(), narrow = (folder / "narrow").string();
  CHECK(dragoman({"average", "-m", whole.string(), "--last", "2", "-o", average}).exit_code == 0);
  const auto source = (folder / "a.src").string(), target = (folder / "a.tgt").string();
  CHECK(dragoman({"convert", "--to", "dragoman", whole.string(), "--quantize", "int8", "--source",
                  source, "--reference", target, "-o", narrow})
            .exit_code == 0);
  for (const auto& model : {whole.string(), average, narrow}) {
    CAPTURE(model);
    const auto score = dragoman({"score", "-m", model, "--source", source, "--target", target});
    CAPTURE(score.err);
    CHECK(score.exit_code == 0);
    CHECK(dragoman({"analyze", "attention", "-m", model, "a b", "--target", "A"}).exit_code == 0);
  }
}

TEST_CASE("a second training of one folder is refused while the first runs", "[e2e]") {
  const Letters letters;
  auto first = test::start_dragoman(letters.training("run", {"train.max_steps=1000000"}));
  CHECK(first.wait_until(
      [&] { return test::lines_in(letters.folder / "run" / "train.jsonl") >= 1; }));
  const auto second = dragoman(letters.training("run", {"train.max_steps=1000000"}));
  CHECK(first.end_with(SIGTERM) == 143);
  CHECK(second.exit_code == 1);
  CHECK(second.err.find("LOCK") != std::string::npos);
}

}  // namespace train_test
