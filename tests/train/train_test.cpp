#include "dragoman/train/train.h"

#include "dragoman/config/parse.h"
#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "dragoman/run/checkpoint_store.h"
#include "dragoman/run/run_lock.h"
#include "support/catch.h"
#include "support/log_taken.h"
#include "support/program.h"

#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <future>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace dragoman::train_test {

namespace {

namespace fs = std::filesystem;

/// Letters and the smallest model.
struct Start {
  test::TemporaryDirectory folder;
  RunOptions options = preset_run_options(
      "tiny", {"model.d_model=16", "model.d_ff=32", "model.num_heads=2", "model.encoder_layers=1",
               "model.decoder_layers=1", "tokenizer.vocab_size=60", "train.max_steps=1",
               "train.batch_tokens=3000", "data.max_length=1000", "train.workers=1"});

  Start() {
    test::write_letters(folder / "a.src", folder / "a.tgt");
    options.data.train_source = {(folder / "a.src").string()};
    options.data.train_target = {(folder / "a.tgt").string()};
  }

  fs::path run_dir() const { return folder / "run"; }
  TrainingEnd run() const { return train({.options = options, .run_dir = run_dir()}); }

  /// Fails once the training text is encoded: some pair is longer than a batch.
  void break_batches() { options.train.batch_tokens = 2; }

  /// Fails before the training text is encoded: the only pair has more pieces than `max_length`.
  void break_validation_text() {
    std::string line;
    for (int i = 0; i < 1200; ++i) line += "a ";
    std::ofstream(folder / "valid.src") << line << '\n';
    std::ofstream(folder / "valid.tgt") << line << '\n';
    options.data.valid_source = (folder / "valid.src").string();
    options.data.valid_target = (folder / "valid.tgt").string();
  }
};

std::set<std::string> names(const fs::path& folder) {
  std::set<std::string> found;
  for (const auto& entry : fs::directory_iterator(folder)) found.insert(entry.path().filename());
  return found;
}

ino_t inode_of(const fs::path& file) {
  struct stat facts{};
  ::stat(file.c_str(), &facts);
  return facts.st_ino;
}

}  // namespace

TEST_CASE("an error after the text is encoded leaves it for the next training", "[unit]") {
  Start start;
  const auto tokens = start.run_dir() / "data/train.tokens";
  const auto good = start.options;
  start.break_batches();
  CHECK_THROWS_AS(start.run(), OptionsError);
  REQUIRE(names(start.run_dir()) == std::set<std::string>{"data"});
  const auto made = inode_of(tokens);

  CHECK_THROWS_AS(start.run(), OptionsError);
  CHECK(names(start.run_dir()) == std::set<std::string>{"data"});

  start.options = good;
  CHECK_NOTHROW(start.run());
  CHECK(inode_of(tokens) == made);
  CHECK(CheckpointStore(start.run_dir()).list().front().step == 1);
}

TEST_CASE("an error before the text is encoded leaves nothing in a new folder", "[unit]") {
  Start start;
  start.options.tokenizer.vocab_size = 5000;
  CHECK_THROWS_AS(start.run(), OptionsError);
  CHECK_FALSE(fs::exists(start.run_dir()));
  fs::create_directory(start.run_dir());
  CHECK_THROWS_AS(start.run(), OptionsError);
  CHECK(names(start.run_dir()).empty());
  start.options.tokenizer.vocab_size = 60;
  start.break_validation_text();
  CHECK_THROWS_AS(start.run(), DataError);
  CHECK(names(start.run_dir()).empty());
  start.options.data.valid_source = start.options.data.valid_target =
      (start.folder / "missing").string();
  CHECK_THROWS_AS(start.run(), DataError);
  CHECK(names(start.run_dir()).empty());
}

TEST_CASE("an error leaves a configuration that was there as it is", "[unit]") {
  Start start;
  fs::create_directory(start.run_dir());
  const auto file = start.run_dir() / "config.json";
  write_file_atomically(file, "{}\n");
  start.break_batches();
  CHECK_THROWS_AS(start.run(), OptionsError);
  CHECK(read_file(file) == "{}\n");
}

TEST_CASE("an error leaves a folder that held other files as it is", "[unit]") {
  Start start;
  fs::create_directory(start.run_dir());
  std::ofstream(start.run_dir() / "notes") << "mine";
  start.break_batches();
  CHECK_THROWS_AS(start.run(), OptionsError);
  CHECK(names(start.run_dir()) == std::set<std::string>{"data", "notes"});
  CHECK(fs::exists(start.run_dir() / "data/train.tokens"));
}

TEST_CASE("a new run is told of other files in its folder, an old one not", "[unit]") {
  Start start;
  fs::create_directory(start.run_dir());
  std::ofstream(start.run_dir() / "notes") << "mine";
  const auto told = [&] {
    const test::LogTaken log;
    start.run();
    return std::ranges::any_of(log.warnings, [](const std::string& warning) {
      return warning.find("run: already contains other files") != std::string::npos;
    });
  };
  CHECK(told());
  start.options.train.max_steps = 2;
  CHECK_FALSE(told());
}

TEST_CASE("a training waits while another prepares the folder of the text", "[unit]") {
  Start start;
  const auto cache = start.folder / "cache";
  test::LogTaken log;
  std::future<TrainingEnd> end;
  {
    const RunLock other(cache);
    end = std::async(std::launch::async, [&] {
      return train({.options = start.options, .run_dir = start.run_dir(), .data_dir = cache});
    });
    while (!log.has("waiting for the process that holds it"))
      REQUIRE(end.wait_for(std::chrono::milliseconds(1)) == std::future_status::timeout);
    CHECK_FALSE(fs::exists(cache / "train.tokens"));
  }
  CHECK(end.get().signal == 0);
  CHECK(fs::exists(cache / "train.tokens"));
}

TEST_CASE("a run resumes with its text at another path, and not with another text there",
          "[unit]") {
  Start start;
  start.run();
  for (auto* files : {&start.options.data.train_source, &start.options.data.train_target}) {
    const auto moved = files->front() + ".moved";
    fs::rename(files->front(), moved);
    files->front() = moved;
  }
  start.options.train.max_steps = 2;
  CHECK_NOTHROW(start.run());
  CHECK(CheckpointStore(start.run_dir()).list().front().step == 2);
  start.options.train.max_steps = 3;
  std::swap(start.options.data.train_source, start.options.data.train_target);
  CHECK_THROWS_WITH(start.run(), test::contains("the training text is not the one") &&
                                     test::contains("as many pairs as then, but other lines"));
}

TEST_CASE("files with weights or tags resume only with as many pairs in each as before", "[unit]") {
  Start start;
  auto& data = start.options.data;
  const auto cut = [](const std::string& file, int lines) {
    std::ifstream whole(file);
    std::ofstream first(file + ".1"), second(file + ".2");
    std::string line;
    for (int i = 0; std::getline(whole, line); ++i) (i < lines ? first : second) << line << '\n';
  };
  const std::vector<std::string> sides{data.train_source.front(), data.train_target.front()};
  for (const auto& side : sides) cut(side, 20);
  data.train_source = {sides[0] + ".1", sides[0] + ".2"};
  data.train_target = {sides[1] + ".1", sides[1] + ".2"};
  const auto expect_same_cut = [&] {
    for (const auto& side : sides) cut(side, 20);
    start.options.train.max_steps = 1;
    start.run();
    start.options.train.max_steps = 2;
    for (const auto& side : sides) cut(side, 40);
    CHECK_THROWS_WITH(start.run(), test::contains("the run was started with files of "
                                                  "[20,40] pairs, these have [40,20]"));
    for (const auto& side : sides) cut(side, 20);
    CHECK_NOTHROW(start.run());
    fs::remove_all(start.run_dir());
  };
  data.weights = {2.0, 0.5};
  expect_same_cut();
  data.weights = {};
  data.target_tag = {"de", "fr"};
  expect_same_cut();
}

TEST_CASE("filters of the training text leave the validation text whole", "[unit]") {
  Start start;
  auto& data = start.options.data;
  std::ofstream(start.folder / "valid.src") << "a b\na b\na b c d e f\n";
  std::ofstream(start.folder / "valid.tgt") << "A B\nA B\nA\n";
  data.valid_source = (start.folder / "valid.src").string();
  data.valid_target = (start.folder / "valid.tgt").string();
  data.drop_duplicates = true;
  data.max_ratio = 1.5;
  const test::LogTaken log;
  start.run();
  CHECK(std::ranges::any_of(log.messages, [](const std::string& message) {
    return message.starts_with("validation text") &&
           message.find("3 pairs read, 3 kept") != std::string::npos;
  }));
}

TEST_CASE("a validation pair of data.max_length pieces fits into a batch of its own", "[unit]") {
  Start start;
  auto& data = start.options.data;
  data.max_length = 30;
  start.options.train.batch_tokens = 25;
  const auto line = [](std::size_t letters) {
    std::string text = "a";
    while (--letters > 0) text += " a";
    return text;
  };
  // A letter is one piece or two: one of these sides has 30.
  std::ofstream source(start.folder / "valid.src"), target(start.folder / "valid.tgt");
  for (std::size_t letters = 10; letters <= 31; ++letters) {
    source << line(letters) << '\n';
    target << line(letters) << '\n';
  }
  source.close(), target.close();
  data.valid_source = (start.folder / "valid.src").string();
  data.valid_target = (start.folder / "valid.tgt").string();
  CHECK_NOTHROW(start.run());
}

TEST_CASE("pieces are learned once for a folder of data, and again for other options", "[unit]") {
  Start start;
  const auto cache = start.folder / "cache";
  const auto learned_before = [&](const std::string& run) {
    const test::LogTaken log;
    train({.options = start.options, .run_dir = start.folder / run, .data_dir = cache});
    return std::ranges::any_of(log.messages, [](const std::string& message) {
      return message.starts_with("using the vocabulary learned earlier from this text");
    });
  };
  const auto tokenizer_of = [&](const std::string& run) {
    return read_file(start.folder / run / "checkpoints/step-00000001/tokenizer.model");
  };
  CHECK_FALSE(learned_before("first"));
  CHECK(learned_before("second"));
  CHECK(tokenizer_of("second") == tokenizer_of("first"));
  write_file_atomically(cache / "vocabulary/tokenizer.model", tokenizer_of("first") + "x");
  CHECK_FALSE(learned_before("after damage"));
  CHECK(tokenizer_of("after damage") == tokenizer_of("first"));
  start.options.tokenizer.vocab_size = 58;
  CHECK_FALSE(learned_before("smaller"));
  CHECK(tokenizer_of("smaller") != tokenizer_of("first"));
  start.options.tokenizer.joint = false;
  start.options.tokenizer.vocab_size = 31;
  start.options.model.share_embeddings = ShareEmbeddings::target_output;
  CHECK_FALSE(learned_before("apart"));
  CHECK(learned_before("apart again"));
}

TEST_CASE("a run that another process writes is refused without a wait", "[unit]") {
  const Start start;
  const RunLock other(start.run_dir());
  CHECK_THROWS_WITH(start.run(), test::contains("LOCK: in use by another process"));
}

}  // namespace dragoman::train_test
