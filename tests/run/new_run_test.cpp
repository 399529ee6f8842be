#include "dragoman/run/new_run.h"

#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "support/catch.h"
#include "support/temporary_directory.h"

#include <stdexcept>

namespace new_run_test {

using namespace dragoman;

namespace fs = std::filesystem;

TEST_CASE("A run that cannot be made leaves nothing that stands in the way of the next try",
          "[unit]") {
  const test::TemporaryDirectory folder;
  const auto fail = [](CheckpointWriter& writer) {
    writer.write("weights", "half");
    throw std::runtime_error("stopped");
  };
  for (const std::string name : {"missing", "above/missing", "empty"}) {
    CAPTURE(name);
    if (name == "empty") fs::create_directory(folder / name);
    CHECK_THROWS_WITH(write_new_run(folder / name, 3, "{}", fail), "stopped");
    CHECK(fs::exists(folder / name) == (name == "empty"));
    const auto made = write_new_run(
        folder / name, 3, "{}", [](CheckpointWriter& writer) { writer.write("weights", "all"); });
    CHECK(read_file(made.path / "weights") == "all");
    CHECK(read_file(folder / name / "config.json") == "{}");
  }
}

TEST_CASE("A run whose configuration cannot be written is taken back", "[unit]") {
  const test::TemporaryDirectory folder;
  const auto block = [&](CheckpointWriter&) { fs::create_directory(folder / "run/config.json"); };
  CHECK_THROWS_AS(write_new_run(folder / "run", 1, "{}", block), DataError);
  CHECK_FALSE(fs::exists(folder / "run"));
}

TEST_CASE("a folder that is a checkpoint by itself is no place for a run", "[unit]") {
  const test::TemporaryDirectory folder;
  CHECK_NOTHROW(expect_outside_checkpoints(folder / "missing"));
  CHECK_NOTHROW(expect_outside_checkpoints(folder.path()));
  fs::create_directory(folder / "a copy");
  write_file_atomically(folder / "a copy" / "model.safetensors", "weights");
  CHECK_THROWS_AS(expect_outside_checkpoints(folder / "a copy"), OptionsError);
  CHECK_THROWS_WITH(
      expect_outside_checkpoints(folder / "a copy"),
      test::contains("a copy: is a single checkpoint, not a run; choose another folder ('") &&
          test::contains("dragoman train --start-from '") &&
          test::contains("a copy' -o RUN_DIR' "));
  CHECK_THROWS_AS(write_new_run(folder / "a copy", 1, "{}", [](CheckpointWriter&) {}),
                  OptionsError);
}

}  // namespace new_run_test
