#include "dragoman/train/folder_snapshot.h"

#include "support/catch.h"
#include "support/temporary_directory.h"

#include <filesystem>
#include <fstream>

namespace folder_snapshot_test {

using dragoman::FolderSnapshot;
namespace fs = std::filesystem;

namespace {

void make(const fs::path& file) {
  fs::create_directories(file.parent_path());
  std::ofstream(file) << "x";
}

}  // namespace

TEST_CASE("what a failed training made goes, with the folder", "[unit]") {
  const test::TemporaryDirectory folder;
  const auto run = folder / "run";
  const FolderSnapshot before(run);
  for (const char* name :
       {"LOCK", "config.json", "train.jsonl", "data/text.json", "tensorboard/train/events"})
    make(run / name);
  fs::create_directory(run / "checkpoints");  // the first could not be written
  before.restore();
  CHECK_FALSE(fs::exists(run));
}

TEST_CASE("the folders above a new run go with it, those that were there stay", "[unit]") {
  const test::TemporaryDirectory folder;
  fs::create_directory(folder / "mine");
  for (const char* name : {"mine/a/b/run", "mine/a/b/run/"}) {
    const auto run = folder / name;
    const FolderSnapshot before(run);
    make(run / "LOCK");
    before.restore();
    CHECK(fs::is_empty(folder / "mine"));
  }
}

TEST_CASE("of a folder with other files, what was there stays", "[unit]") {
  const test::TemporaryDirectory folder;
  const auto run = folder / "run";
  for (const char* name : {"notes.txt", "train.jsonl", "data/mine"}) make(run / name);
  const FolderSnapshot before(run);
  CHECK(before.holds_other_files());
  for (const char* name : {"LOCK", "config.json", "tensorboard/train/events", "data/LOCK"})
    make(run / name);
  before.restore();
  for (const char* name : {"notes.txt", "train.jsonl", "data/mine"}) CHECK(fs::exists(run / name));
  for (const char* name : {"LOCK", "config.json", "tensorboard"})
    CHECK_FALSE(fs::exists(run / name));
}

TEST_CASE("a run with a checkpoint stays as it is", "[unit]") {
  const test::TemporaryDirectory folder;
  const auto run = folder / "run";
  const FolderSnapshot before(run);
  for (const char* name : {"LOCK", "config.json", "checkpoints/step-00000000/weights"})
    make(run / name);
  before.restore();
  for (const char* name : {"LOCK", "config.json", "checkpoints/step-00000000/weights"})
    CHECK(fs::exists(run / name));
}

TEST_CASE("what others put there meanwhile stays, and so does an encoded text", "[unit]") {
  const test::TemporaryDirectory folder;
  const auto run = folder / "run";
  const FolderSnapshot before(run);
  for (const char* name : {"LOCK", "config.json", "data/train.tokens", "notes.txt", "mine/y"})
    make(run / name);
  before.restore();
  CHECK_FALSE(fs::exists(run / "LOCK"));
  CHECK_FALSE(fs::exists(run / "config.json"));
  for (const char* name : {"data/train.tokens", "notes.txt", "mine/y"})
    CHECK(fs::exists(run / name));
}

TEST_CASE("learned pieces stay once they are finished", "[unit]") {
  const test::TemporaryDirectory folder;
  const auto run = folder / "run", pieces = run / "data" / "vocabulary";
  const FolderSnapshot before(run);
  make(run / "LOCK");
  make(pieces / "source.model");
  SECTION("with their facts, which are written last") {
    make(pieces / "facts.json");
    before.restore(dragoman::LearnedPieces::kept);
    CHECK(fs::exists(pieces / "source.model"));
    CHECK_FALSE(fs::exists(run / "LOCK"));
  }
  SECTION("not without them") {
    before.restore(dragoman::LearnedPieces::kept);
    CHECK_FALSE(fs::exists(run));
  }
  SECTION("nor if their text was at fault") {
    make(pieces / "facts.json");
    before.restore();
    CHECK_FALSE(fs::exists(run));
  }
}

}  // namespace folder_snapshot_test
