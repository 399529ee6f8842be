#include "app/small_run.h"
#include "support/catch.h"

#include "dragoman/core/file.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace resume_test {

using test::contains;
using test::dragoman;

namespace fs = std::filesystem;

TEST_CASE("a damaged record of a validation does not keep a run from resuming", "[e2e]") {
  const test::CheckpointedRun run;
  std::int64_t steps = 5;
  for (const std::string content :
       {"", "[]", "{}", R"({"loss": 1})", R"({"step": "4"})", R"({"step": 9})"}) {
    CAPTURE(content);
    for (const auto& entry : fs::directory_iterator(run.run_dir / "checkpoints"))
      std::ofstream(entry.path() / "validation.json") << content;
    const auto resumed = dragoman(run.training({"train.max_steps=" + std::to_string(steps++)}));
    CHECK(resumed.exit_code == 0);
    CHECK_THAT(resumed.err, contains("validation.json: is damaged; the checkpoint counts as not"));
  }
}

TEST_CASE("a checkpoint names the validation text that the run had last", "[e2e]") {
  const test::CheckpointedRun run;
  const auto validated_with = [&](const std::string& target, int steps) {
    const auto result = dragoman(run.training({"train.max_steps=" + std::to_string(steps),
                                               "data.valid_source=" + run.path("a.src"),
                                               "data.valid_target=" + run.path(target)}));
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 0);
    const bool is_told =
        result.err.find("changed since the last checkpoint: the validation text") !=
        std::string::npos;
    return std::pair{
        nlohmann::json::parse(dragoman::read_file(run.checkpoint(steps) / "state.json"))
            .at("identity")
            .at("valid_text_sha256")
            .get<std::string>(),
        is_told};
  };
  const auto first = validated_with("a.tgt", 5).first;
  const auto other = validated_with("a.src", 6);
  CHECK(other.first != first);
  CHECK(other.second);
  CHECK(validated_with("a.tgt", 7) == std::pair{first, true});
  fs::copy_file(run.path("a.tgt"), run.path("copied.tgt"));
  CHECK(validated_with("copied.tgt", 8) == std::pair{first, false});
}

TEST_CASE("a run without its configuration resumes with that of its checkpoint", "[e2e]") {
  const test::CheckpointedRun run;
  fs::remove(run.run_dir / "config.json");
  const auto resumed =
      dragoman({"train", "-o", run.run_dir.string(), "--set", "train.max_steps=6"});
  CAPTURE(resumed.err);
  CHECK(resumed.exit_code == 0);
  CHECK_THAT(resumed.err, contains("config.json: is missing; the run resumes with"));
  CHECK(fs::exists(run.checkpoint(6)));
  const auto edited = dragoman(
      {"train", "-o", run.run_dir.string(), "--set", "train.max_steps=7", "model.d_ff=48"});
  CHECK(edited.exit_code == 2);
  CHECK_THAT(edited.err, contains("step-00000006/config.json; to train with them"));
}

TEST_CASE("a run with a damaged configuration says that its checkpoint has another", "[e2e]") {
  const test::CheckpointedRun run;
  const auto own = run.run_dir / "config.json";
  const auto resume = [&](const std::string& setting) {
    return dragoman({"train", "-o", run.run_dir.string(), "--set", setting});
  };
  const auto mistyped = resume("train.max_stepz=5");
  CHECK(mistyped.exit_code == 2);
  CHECK_THAT(mistyped.err, !contains("Without this file"));
  std::ofstream(own) << "";
  const auto damaged = resume("train.max_steps=5");
  CHECK(damaged.exit_code == 2);
  CHECK_THAT(damaged.err, contains("is empty") && contains("Without this file, the run resumes"));
  fs::remove(own);
  CHECK(resume("train.max_steps=5").exit_code == 0);
}

TEST_CASE("a run resumes with the number of workers that it had, or with a warning with another",
          "[e2e]") {
  const test::CheckpointedRun run;
  const auto workers = [&run] {
    const auto info = dragoman({"info", "-m", run.run_dir.string(), "--json"});
    return nlohmann::json::parse(info.out).at("state").at("identity").at("workers").get<int>();
  }();
  CHECK(dragoman(run.training({"train.max_steps=5", "train.workers=" + std::to_string(workers)}))
            .exit_code == 0);
  CHECK(dragoman(run.training({"train.max_steps=6", "train.workers=0"})).exit_code == 0);
  const auto other =
      dragoman(run.training({"train.max_steps=7", "train.workers=" + std::to_string(workers + 1)}));
  CHECK(other.exit_code == 0);
  CHECK_THAT(other.err, contains(" and resumes with " + std::to_string(workers + 1)));
}

TEST_CASE("a limit that a run has passed is warned of", "[e2e]") {
  const test::CheckpointedRun run;
  const auto passed = dragoman(run.training({"train.max_steps=2"}));
  CHECK(passed.exit_code == 0);
  CHECK_THAT(passed.err,
             contains("train.max_steps: 2 is less than the 4 updates that the run has"));
}

TEST_CASE("a run is resumed only with the origin and the tokenizer that it began with", "[e2e]") {
  const test::CheckpointedRun run;
  const auto before = dragoman::read_file(run.run_dir / "config.json");
  const auto resumed = [&](const std::vector<std::string>& more) {
    return dragoman(test::with(run.training({"train.max_steps=5"}), more));
  };
  const auto origin = test::small_run().string();
  const auto started = dragoman({"train", "--start-from", origin, "-o", run.run_dir.string()});
  for (const auto& refused : {started, resumed({"--init-from", origin})}) {
    CHECK(refused.exit_code == 2);
    CHECK_THAT(refused.err, contains("holds a run that did not start from "));
  }
  const auto tokenizer = (run.checkpoint(4) / "tokenizer.model").string();
  REQUIRE(dragoman({"tokenize", "train", "-i", run.path("a.src"), "-o", run.path("other.model"),
                    "--vocab-size", "40"})
              .exit_code == 0);
  const auto other = resumed({"--tokenizer", run.path("other.model")});
  CHECK(other.exit_code == 2);
  CHECK_THAT(other.err, contains("another tokenizer than that of --tokenizer"));
  CHECK(dragoman::read_file(run.run_dir / "config.json") == before);
  CHECK(resumed({"--tokenizer", tokenizer}).exit_code == 0);
  CHECK(resumed({"--target-tokenizer", tokenizer}).exit_code == 2);
  const std::vector<std::string> other_pieces{"--set", "tokenizer.vocab_size=45"};
  CHECK(resumed(other_pieces).exit_code == 2);
  const auto excluded = resumed(test::with({"--tokenizer", tokenizer}, other_pieces));
  CHECK(excluded.exit_code == 0);
  CHECK_THAT(excluded.err, contains("has no effect, as the tokenizer is given"));
  const auto further = [&](const char* steps) {
    return dragoman({"train", "--start-from", origin, "-o", run.path("further"), "--set",
                     std::string("train.max_steps=") + steps});
  };
  CHECK(further("2").exit_code == 0);
  CHECK(further("3").exit_code == 0);
}

TEST_CASE("a run that names its text relative to another folder says so when it resumes", "[e2e]") {
  const test::TemporaryDirectory folder;
  test::write_letters(folder / "a.src", folder / "a.tgt");
  const auto run_dir = (folder / "run").string();
  auto training = test::tiny_training("a.src", "a.tgt", run_dir);
  training.insert(training.begin(), test::program());
  REQUIRE(test::run(training, {.directory = folder.path()}).exit_code == 0);
  const auto elsewhere = dragoman({"train", "-o", run_dir, "--max-steps", "6"});
  CHECK(elsewhere.exit_code == 1);
  CHECK_THAT(elsewhere.err, contains("data.train_source: a.src: there is no such file here") &&
                                contains("relative to the folder in which it was started"));
  const auto mistyped = dragoman({"train", "-o", run_dir, "--train-source", "b.src",
                                  "--train-target", (folder / "a.tgt").string()});
  CHECK_THAT(mistyped.err, contains("b.src: cannot be opened"));
  CHECK(dragoman({"train", "-o", run_dir, "--dump-config", "-"}).exit_code == 0);
  const auto here =
      dragoman({"train", "-o", run_dir, "--max-steps", "6", "--train-source",
                (folder / "a.src").string(), "--train-target", (folder / "a.tgt").string()});
  CHECK_THAT(here.err, contains("ended at step 6"));
}

TEST_CASE("a run that no training made, or one of another text, is not resumed", "[e2e]") {
  const test::CheckpointedRun run;
  const auto averaged = run.path("averaged");
  REQUIRE(dragoman({"average", "-m", run.run_dir.string(), "-o", averaged}).exit_code == 0);
  const auto resumed = dragoman({"train", "-o", averaged});
  CHECK(resumed.exit_code == 1);
  CHECK_THAT(resumed.err, contains("averaged: its checkpoint has no training state"));
  CHECK_THAT(resumed.err, contains("--start-from"));
  std::ofstream(run.path("a.src"), std::ios::app) << "b a\n";
  std::ofstream(run.path("a.tgt"), std::ios::app) << "B A\n";
  const auto other = dragoman(run.training({"train.max_steps=5"}));
  CHECK(other.exit_code == 1);
  CHECK_THAT(other.err, contains("run: the training text is not the one"));
  CHECK_THAT(other.err, contains(run.path("a.src") + " and " + run.path("a.tgt") + " have ") &&
                            contains(" pairs instead of "));
}

TEST_CASE("the parts of an attention that are not those of the run are named", "[e2e]") {
  const test::CheckpointedRun run;
  const auto refused = [&run](const std::string& setting) {
    const auto result = dragoman(run.training({setting}));
    CAPTURE(result.err);
    CHECK(result.exit_code == 2);
    return result.err;
  };
  CHECK_THAT(refused("model.encoder_attention.kind=local"),
             contains("other settings: model.encoder_attention.kind \"full\" (now \"local\")"));
  CHECK_THAT(refused("model.encoder_attention={\"heads\": [{\"kind\": \"local\"}, {}]}"),
             contains("other settings: model.encoder_attention.heads [] (now ["));
  const auto resumed =
      dragoman(run.training({"train.max_steps=5", "model.encoder_attention.kind=tiled"}));
  CAPTURE(resumed.err);
  CHECK(resumed.exit_code == 0);
}

TEST_CASE("an option of classifiers does not keep a run from resuming", "[e2e]") {
  const test::CheckpointedRun run;
  const auto resumed = dragoman(run.training({"train.max_steps=5", "model.pooling=first"}));
  CAPTURE(resumed.err);
  CHECK(resumed.exit_code == 0);
  CHECK_THAT(resumed.err, contains("has no effect on the models of 'train'"));
}

TEST_CASE("a configuration in the place of the run's own is not overwritten", "[e2e]") {
  const test::TemporaryDirectory folder;
  test::write_letters(folder / "a.src", folder / "a.tgt");
  const auto run = (folder / "run").string(), config = run + "/config.json";
  fs::create_directory(run);
  std::ofstream(config) << "{}\n";
  const auto train = [&] {
    return dragoman({"train", "-c", config, "-o", run, "--train-source",
                     (folder / "a.src").string(), "--train-target", (folder / "a.tgt").string()});
  };
  const auto refused = train();
  CHECK(refused.exit_code == 2);
  CHECK_THAT(refused.err,
             contains("config.json: is where the run will keep its own configuration"));
  CHECK(dragoman::read_file(config) == "{}\n");
}

TEST_CASE("one side of a text is not paired with the other of the run to start from", "[e2e]") {
  const test::CheckpointedRun run;
  for (const std::string side : {"train-source", "train-target", "valid-source", "valid-target"}) {
    const auto result = dragoman({"train", "--start-from", run.run_dir.string(), "-o",
                                  run.path("other"), "--" + side, run.path("a.src")});
    CAPTURE(side, result.err);
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.err, contains("--" + side + ": without data.") &&
                               contains("would be its other side; give both"));
  }
}

}  // namespace resume_test
