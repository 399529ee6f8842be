#include "dragoman/planning/disk_needs.h"

#include "support/catch.h"
#include "support/temporary_directory.h"

#include <filesystem>
#include <fstream>
#include <string>

namespace disk_needs_test {

using namespace dragoman;

namespace {

const TrainingEstimate estimate{.checkpoints_bytes = 10000.0, .text_bytes = 300.0};

/// A run folder with checkpoints of 1,000 bytes.
struct Run {
  test::TemporaryDirectory folder;
  TrainRequest request;

  Run() { request.run_dir = folder.path(); }

  std::filesystem::path add(const std::string& name) const {
    const auto path = folder / "checkpoints" / name;
    std::filesystem::create_directories(path);
    std::ofstream(path / "model.safetensors") << std::string(1000, 'x');
    return path;
  }
};

}  // namespace

TEST_CASE("a new run needs all its checkpoints and the text as ids", "[unit]") {
  const Run run;
  const auto needs = disk_needs(run.request, estimate, {}, /*has_text=*/false);
  CHECK(needs.run.bytes == 10300.0);
  CHECK(needs.run.free);
  CHECK_FALSE(needs.data_cache);
  CHECK(disk_needs(run.request, estimate, {}, /*has_text=*/true).run.bytes == 10000.0);
}

TEST_CASE("checkpoints that are kept take no more space, damaged ones stay besides", "[unit]") {
  const Run run;
  const Checkpoint resumed{.step = 2, .path = run.add("step-00000002")};
  run.add("step-00000001");
  run.add("step-00000001.bad");
  run.add("step-00000003");  // will be set aside: it is not the one that is resumed
  CHECK(disk_needs(run.request, estimate, resumed, /*has_text=*/true).run.bytes == 8000.0);
}

TEST_CASE("the text as ids is needed on the disk of its folder", "[unit]") {
  Run run;
  run.request.data_dir = run.folder / "cache";
  auto needs = disk_needs(run.request, estimate, {}, /*has_text=*/false);
  CHECK(needs.run.bytes == 10300.0);
  CHECK_FALSE(needs.data_cache);
  run.request.data_dir = "/proc/cache";
  needs = disk_needs(run.request, estimate, {}, /*has_text=*/false);
  CHECK(needs.run.bytes == 10000.0);
  REQUIRE(needs.data_cache);
  CHECK(needs.data_cache->bytes == 300.0);
  needs = disk_needs(run.request, estimate, {}, /*has_text=*/true);
  REQUIRE(needs.data_cache);
  CHECK(needs.data_cache->bytes == 0.0);
}

TEST_CASE("a need fits if so much is free, or if that is unknown", "[unit]") {
  CHECK(DiskNeed{.bytes = 10.0, .free = 10}.fits());
  CHECK_FALSE(DiskNeed{.bytes = 10.0, .free = 9}.fits());
  CHECK(DiskNeed{.bytes = 10.0}.fits());
}

}  // namespace disk_needs_test
