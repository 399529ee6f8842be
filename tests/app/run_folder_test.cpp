#include "app/small_run.h"
#include "support/catch.h"
#include "support/hostile.h"

#include "dragoman/core/file.h"
#include "dragoman/run/manifest.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace run_folder_test {

using test::contains;
using test::dragoman;

namespace fs = std::filesystem;

namespace {

/// A run of checkpoints 0, 1, 2, 3 and 4.
struct Run {
  test::TemporaryDirectory folder;
  fs::path run_dir = test::train_small_run(folder, {"train.checkpoint_every=1"});

  fs::path checkpoint(int step) const {
    return run_dir / "checkpoints" / ("step-0000000" + std::to_string(step));
  }
  std::string path(const std::string& name) const { return (folder / name).string(); }

  std::vector<std::string> training(const std::vector<std::string>& settings) const {
    return test::with(test::tiny_training(path("a.src"), path("a.tgt"), run_dir.string()),
                      settings);
  }
};

/// Trains `run_dir` until `change` has been done to it by a shell, then to the end.
test::ProcessResult train_and(const std::string& change, const test::TemporaryDirectory& folder) {
  test::write_letters(folder / "a.src", folder / "a.tgt");
  const auto run_dir = (folder / "run").string();
  auto words =
      test::with({"bash", "-c",
                  R"(cd "$1"; shift; "$@" & until [ -e run/latest ] && [ -s run/train.jsonl ]
                              do sleep 0.05; done
                              )" +
                      change + "; wait $!",
                  "bash", folder.path().string(), test::program()},
                 test::tiny_training("a.src", "a.tgt", run_dir));
  return test::run(test::with(words, {"train.max_steps=3000", "train.checkpoint_every=1000"}));
}

/// A folder that holds a checkpoint by itself, whose manifest does not name its configuration.
fs::path stray_checkpoint(const Run& run, const std::string& name) {
  const auto copy = run.folder / name;
  fs::copy(run.checkpoint(4), copy);
  auto manifest = dragoman::read_manifest(copy);
  manifest.files.erase("config.json");
  fs::remove(copy / "manifest.json");
  fs::remove(copy / "config.json");
  dragoman::write_new_file(copy / "manifest.json", manifest.to_text());
  return copy;
}

void damage(const fs::path& file) {
  std::fstream(file, std::ios::in | std::ios::out | std::ios::binary).seekp(5) << 'X';
}

}  // namespace

TEST_CASE("a run folder that is moved or removed stops its training and is not made again",
          "[e2e]") {
  for (const std::string change :
       {"mv run elsewhere", "mv run gone; rm -rf gone", "mv run elsewhere; mkdir run"}) {
    const test::TemporaryDirectory folder;
    const auto result = train_and(change, folder);
    CAPTURE(change, result.err);
    CHECK(result.exit_code == 1);
    CHECK_THAT(result.err, contains("/run: was moved, removed or emptied"));
    const bool replaced = change.ends_with("mkdir run");
    CHECK(fs::exists(folder / "run") == replaced);
    if (replaced) CHECK(fs::is_empty(folder / "run"));
  }
}

TEST_CASE("what a killed process left in a run goes when it is resumed", "[e2e]") {
  const Run run;
  const std::vector<std::string> leftovers = {"data/text.json.tmp-1", "data/train.tokens.tmp-1",
                                              "data/train.tokens.new", "config.json.tmp-1",
                                              "checkpoints/step-00000009.tmp-1"};
  for (const auto& name : leftovers) std::ofstream(run.run_dir / name) << "half";
  // The last one may be a translation that another process is writing now.
  for (const char* name : {"data/mine.new", "mine.tmp-draft", "test.out.tmp-17"})
    std::ofstream(run.run_dir / name) << "x";
  REQUIRE(dragoman(run.training({"train.max_steps=5"})).exit_code == 0);
  for (const auto& name : leftovers) {
    CAPTURE(name);
    CHECK_FALSE(fs::exists(run.run_dir / name));
  }
  CHECK(fs::exists(run.run_dir / "data/mine.new"));
  CHECK(fs::exists(run.run_dir / "mine.tmp-draft"));
  CHECK(fs::exists(run.run_dir / "test.out.tmp-17"));
}

TEST_CASE("a damaged record of a validation does not keep a run from resuming", "[e2e]") {
  const Run run;
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

TEST_CASE("a run without its configuration resumes with that of its checkpoint", "[e2e]") {
  const Run run;
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
  CHECK_THAT(edited.err, contains("step-00000006/config.json has it"));
}

TEST_CASE("a link to a run folder that is gone is named", "[e2e]") {
  const Run run;
  fs::create_symlink(run.folder / "nowhere", run.folder / "link");
  auto arguments = run.training({});
  *(std::ranges::find(arguments, "-o") + 1) = run.path("link");
  const auto refused = dragoman(arguments);
  CHECK(refused.exit_code == 1);
  CHECK_THAT(refused.err, contains("link: is a symbolic link to ") && contains("/nowhere, which"));
}

TEST_CASE("a run whose cores chose its workers resumes with their number given", "[e2e]") {
  const Run run;
  const auto workers = [&run] {
    const auto info = dragoman({"info", "-m", run.run_dir.string(), "--json"});
    return nlohmann::json::parse(info.out).at("state").at("identity").at("workers").get<int>();
  }();
  CHECK(dragoman(run.training({"train.max_steps=5", "train.workers=" + std::to_string(workers)}))
            .exit_code == 0);
  const auto refused =
      dragoman(run.training({"train.max_steps=6", "train.workers=" + std::to_string(workers + 1)}));
  CHECK(refused.exit_code == 2);
  CHECK_THAT(refused.err, contains("contains a run with another train.workers"));
}

TEST_CASE("a limit that a run has passed is warned of", "[e2e]") {
  const Run run;
  const auto passed = dragoman(run.training({"train.max_steps=2"}));
  CHECK(passed.exit_code == 0);
  CHECK_THAT(passed.err,
             contains("train.max_steps: 2 is less than the 4 updates that the run has"));
}

TEST_CASE("the latest checkpoint is named with the damaged one that it stands in for", "[e2e]") {
  const Run run;
  damage(run.checkpoint(4) / "model.safetensors");
  const auto result = dragoman({"translate", "-m", run.run_dir.string(), "--checkpoint", "latest"},
                               {.text = "a b\n"});
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.err, contains("using step-00000003 instead of the newest, step-00000004"));
}

TEST_CASE("an average or a pruned run that failed does not stand in the way of the next try",
          "[e2e]") {
  const Run run;
  const auto limited = [&](const std::string& limit, const std::vector<std::string>& arguments) {
    return test::run(
        test::with({"bash", "-c", "ulimit -f " + limit + R"(; exec "$@")", "bash", test::program()},
                   arguments));
  };
  const auto source = run.run_dir.string();
  const std::vector<std::vector<std::string>> commands = {
      {"average", "-m", source, "-o", run.path("new/average")},
      {"prune", "-m", source, "-o", run.path("new/prune"), "--heads", "encoder:1.1"}};
  for (const auto& command : commands) {
    CAPTURE(command.front());
    const auto failed = limited("1", command);
    CAPTURE(failed.err);
    CHECK(failed.exit_code == 1);
    CHECK_THAT(failed.err, contains("File too large"));
    CHECK_FALSE(fs::exists(run.folder / "new"));
    CHECK(limited("unlimited", command).exit_code == 0);
    fs::remove_all(run.folder / "new");
  }
}

TEST_CASE("the configuration of a checkpoint opens no other file and does not wait for a pipe",
          "[e2e]") {
  const Run run;
  const auto translate = [](const fs::path& model) {
    return dragoman({"translate", "-m", model.string()}, {.text = "a b\n", .timeout_seconds = 30});
  };
  const auto extending = stray_checkpoint(run, "extending");
  std::ofstream(extending / "config.json") << R"({"extends": "/etc/passwd"})";
  const auto refused = translate(extending);
  CHECK(refused.exit_code == 2);
  CHECK_THAT(refused.err, contains("config.json: /extends: no such option"));
  const auto waiting = stray_checkpoint(run, "waiting");
  REQUIRE(::mkfifo((waiting / "config.json").c_str(), 0600) == 0);
  const auto pipe = translate(waiting);
  CHECK(pipe.exit_code == 1);
  CHECK_THAT(pipe.err, contains("config.json: is not a regular file"));
}

TEST_CASE("a manifest that is a circle of links is an error by its name", "[e2e]") {
  const Run run;
  const auto model = stray_checkpoint(run, "circle");
  fs::remove(model / "manifest.json");
  fs::create_symlink("manifest.json", model / "manifest.json");
  const auto result = dragoman({"translate", "-m", model.string()}, {.text = "a b\n"});
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.err,
             contains("circle/manifest.json: cannot be opened: Too many levels of symbolic links"));
}

TEST_CASE("hostile SentencePiece models end a training and a translation as their cases say",
          "[e2e]") {
  const Run run;
  auto training = test::tiny_training(run.path("a.src"), run.path("a.tgt"), run.path("new"));
  std::erase(training, "tokenizer.vocab_size=60");
  const auto copy = run.folder / "copy";
  fs::copy(run.checkpoint(4), copy);
  for (const auto& hostile : test::hostile_cases("spm")) {
    const auto file = test::hostile_file(hostile);
    const auto trained =
        dragoman(test::with(training, {"train.max_steps=1", "--tokenizer", file.string()}));
    CAPTURE(hostile.at("name").get<std::string>(), trained.err);
    test::check_program_end(trained);
    // A valid model that only does not fit a checkpoint is one to train with.
    if (!hostile.value("needs_checkpoint", false)) {
      CHECK(test::allows_exit(hostile, trained.exit_code));
      CHECK(test::allows_end(hostile, trained.exit_code == 0));
    }
    if (trained.exit_code != 0) test::check_refusal(hostile, trained.err);
    CHECK(fs::exists(run.folder / "new") == (trained.exit_code == 0));
    fs::remove_all(run.folder / "new");

    fs::copy_file(file, copy / "tokenizer.model", fs::copy_options::overwrite_existing);
    const auto translated = dragoman({"translate", "-m", copy.string()}, {.text = "a b c\n"});
    CAPTURE(translated.err);
    test::check_program_end(translated);
    CHECK(translated.exit_code == 1);
    CHECK_THAT(translated.err, contains("tokenizer.model"));
  }
}

TEST_CASE("a run is resumed only with the origin and the tokenizer that it began with", "[e2e]") {
  const Run run;
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

TEST_CASE("a start that has made no checkpoint is told from other folders", "[e2e]") {
  const test::TemporaryDirectory folder;
  std::ofstream(folder / "LOCK").close();
  CHECK_THAT(dragoman({"info", "-m", folder.path().string()}).err,
             contains("holds no checkpoint yet: its training has not begun"));
  std::ofstream(folder / "text.json").close();
  CHECK_THAT(dragoman({"info", "-m", folder.path().string()}).err,
             contains("no checkpoint 'latest' here"));
}

TEST_CASE("a run that no training made, or one of another text, is not resumed", "[e2e]") {
  const Run run;
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
}

}  // namespace run_folder_test
