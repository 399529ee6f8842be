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
fs::path stray_checkpoint(const test::CheckpointedRun& run, const std::string& name) {
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
  const test::CheckpointedRun run;
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

TEST_CASE("a link to a run folder that is gone is named", "[e2e]") {
  const test::CheckpointedRun run;
  fs::create_symlink(run.folder / "nowhere", run.folder / "link");
  auto arguments = run.training({});
  *(std::ranges::find(arguments, "-o") + 1) = run.path("link");
  const auto refused = dragoman(arguments);
  CHECK(refused.exit_code == 1);
  CHECK_THAT(refused.err, contains("link: is a symbolic link to ") && contains("/nowhere, which"));
}

TEST_CASE("the latest checkpoint is named with the damaged one that it stands in for", "[e2e]") {
  const test::CheckpointedRun run;
  damage(run.checkpoint(4) / "model.safetensors");
  const auto result = dragoman({"translate", "-m", run.run_dir.string(), "--checkpoint", "latest"},
                               {.text = "a b\n"});
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.err, contains("using step-00000003 instead of the newest, step-00000004"));
}

TEST_CASE("an average or a pruned run that failed does not stand in the way of the next try",
          "[e2e]") {
  const test::CheckpointedRun run;
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
  const test::CheckpointedRun run;
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

TEST_CASE("a training does not wait for a pipe in place of a file of its run", "[e2e]") {
  const test::CheckpointedRun run;
  for (const char* name : {"config.json", "train.jsonl", "latest"}) {
    CAPTURE(name);
    const auto file = run.run_dir / name;
    fs::rename(file, run.folder / name);
    REQUIRE(::mkfifo(file.c_str(), 0600) == 0);
    const auto resumed = dragoman(run.training({"train.max_steps=5"}), {.timeout_seconds = 60});
    CHECK(resumed.exit_code == 1);
    CHECK_THAT(resumed.err, contains(std::string(name) + ": is not a regular file; remove it"));
    CHECK(fs::is_fifo(file));
    fs::rename(run.folder / name, file);
  }
}

TEST_CASE("a folder without a run cannot be resumed, and is named", "[e2e]") {
  const test::TemporaryDirectory folder;
  const auto refused = [&](const char* message) {
    const auto result = dragoman({"train", "-o", (folder / "r").string()});
    CAPTURE(result.err);
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.err, contains("r contains no run to resume") && contains(message));
  };
  refused("use -c CONFIG.json or --preset");
  fs::create_directories(folder / "r" / "data");
  refused("training there had not begun: repeat the whole command");
}

TEST_CASE("no run is made within the checkpoints of another", "[e2e]") {
  const test::TemporaryDirectory folder;
  const auto run = folder / "run";
  fs::copy(test::small_run(), run, fs::copy_options::recursive);
  const auto checkpoint = fs::directory_iterator(run / "checkpoints")->path();
  const auto next = run / "checkpoints" / "step-00000099";
  for (const auto& place : {checkpoint, run / "checkpoints", next})
    for (const auto& command : std::vector<std::vector<std::string>>{
             {"train", "-o", place.string()}, {"train", "-o", place.string(), "--check"}}) {
      const auto result = dragoman(command);
      CAPTURE(command, result.err);
      CHECK(result.exit_code == 2);
    }
  CHECK(dragoman({"average", "-m", run.string(), "-o", next.string()}).exit_code == 2);
  const auto refused = dragoman({"train", "-o", checkpoint.string(), "--max-steps", "9"});
  CHECK(refused.exit_code == 2);
  CHECK_THAT(refused.err, contains("lies in the checkpoints of the run"));
  CHECK(dragoman({"info", "-m", run.string()}).exit_code == 0);
}

TEST_CASE("no output takes the place of a file of a run", "[e2e]") {
  const test::TemporaryDirectory folder;
  const auto run = (folder / "run").string();
  fs::copy(test::small_run(), run, fs::copy_options::recursive);
  const auto checkpoint = fs::directory_iterator(fs::path(run) / "checkpoints")->path().string();
  std::ofstream(folder / "text") << "a b\n";
  const auto text = (folder / "text").string();
  const std::vector<std::vector<std::string>> commands = {
      {"report", "-m", run},
      {"translate", "-m", run, "-i", text},
      {"evaluate", "-m", run, "--source", text, "--reference", text},
      {"analyze", "attention", "-m", run, "a b", "-f", "html"},
      {"shortlist", "-m", run, "--source", text, "--target", text}};
  for (const auto& command : commands)
    for (const auto& output :
         {run + "/config.json", run + "/train.jsonl", checkpoint + "/model.safetensors",
          checkpoint + "/tokenizer.model"}) {
      const auto before = test::content_of(output);
      const auto result = dragoman(test::with(command, {"-o", output}));
      CAPTURE(command, output, result.err);
      CHECK(result.exit_code == 2);
      CHECK_THAT(result.err, contains(output + ": is a file of the model"));
      CHECK(test::content_of(output) == before);
    }
  for (const auto& other : {run + "/best-text.de", checkpoint + "/text.de"})
    for (int repeated = 0; repeated < 2; ++repeated)
      CHECK(dragoman({"translate", "-m", run, "-i", text, "-o", other}).exit_code == 0);
}

TEST_CASE("a manifest that is a circle of links is an error by its name", "[e2e]") {
  const test::CheckpointedRun run;
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
  const test::CheckpointedRun run;
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

TEST_CASE("a start that has made no checkpoint is told from other folders", "[e2e]") {
  const test::TemporaryDirectory folder;
  std::ofstream(folder / "LOCK").close();
  CHECK_THAT(dragoman({"info", "-m", folder.path().string()}).err,
             contains("holds no checkpoint yet: its training has not begun"));
  std::ofstream(folder / "text.json").close();
  CHECK_THAT(dragoman({"info", "-m", folder.path().string()}).err,
             contains("no checkpoint here; give the folder"));
}

TEST_CASE("folders around and within a run, and a run without an update, are told as such",
          "[e2e]") {
  const test::CheckpointedRun run;
  const auto translate = [](const std::filesystem::path& model, const std::string& checkpoint) {
    std::vector<std::string> arguments = {"translate", "-m", model.string()};
    if (!checkpoint.empty()) arguments.insert(arguments.end(), {"--checkpoint", checkpoint});
    return dragoman(arguments, {.text = "a b\n"}).err;
  };
  CHECK_THAT(translate(run.folder.path(), ""),
             contains("is no run, but contains some: run; give one of them: "));
  CHECK_THAT(translate(run.run_dir / "checkpoints", ""), contains("give the run, "));
  CHECK_THAT(translate(run.run_dir, "step-9"), contains("no checkpoint 'step-9' here; there are "));
  CHECK_THAT(
      translate(run.run_dir, "step-0"),
      contains("has not been trained (0 updates), so its weights are random; choose a later"));
  CHECK(translate(run.run_dir, "").find("random") == std::string::npos);
}

}  // namespace run_folder_test
