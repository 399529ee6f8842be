#include "dragoman/run/checkpoint_store.h"

#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "dragoman/core/system_error.h"
#include "dragoman/run/run_lock.h"
#include "run/written_checkpoints.h"
#include "support/catch.h"
#include "support/log_taken.h"
#include "support/temporary_directory.h"

#include <cerrno>
#include <fstream>
#include <functional>
#include <map>
#include <span>
#include <stdexcept>
#include <utility>

namespace checkpoint_store_test {

using namespace written_checkpoints;

TEST_CASE("A saved checkpoint is listed, good and the latest", "[unit]") {
  const test::TemporaryDirectory run;
  CheckpointStore store(run.path());
  CHECK_FALSE(store.newest_good(Damaged::skip));
  CHECK_THROWS_AS(store.choose("latest"), DataError);
  store.save(300, fill);
  const auto saved = store.save(1200, fill);
  CHECK(saved.name() == "step-00001200");
  CHECK(steps(store) == std::vector<std::int64_t>{1200, 300});
  CHECK(store.newest_good(Damaged::skip)->path == saved.path);
  CHECK(store.choose("latest").step == 1200);
  CHECK(read_file(run / "latest") == "step-00001200\n");
  CHECK(names(saved.path) == std::vector<std::string>{"manifest.json", "state.json", "weights"});
}

TEST_CASE("An untrained checkpoint does not stand in for damaged ones", "[unit]") {
  const test::TemporaryDirectory run;
  CheckpointStore store(run.path());
  store.save(0, fill);
  CHECK(store.choose("latest").step == 0);
  const auto trained = store.save(7, fill);
  std::filesystem::remove(trained.path / "weights");
  CHECK_THROWS_WITH(store.choose("latest"), test::contains("only the untrained step 0 is intact"));
  CHECK(store.choose("step-0").step == 0);
  CHECK_THROWS_AS(store.choose("step-"), DataError);
  CHECK(store.newest_good(Damaged::skip)->step == 0);
}

TEST_CASE("A checkpoint that fails while it is filled leaves nothing", "[unit]") {
  const test::TemporaryDirectory run;
  CheckpointStore store(run.path());
  store.save(1, fill);
  CHECK_THROWS_WITH(store.save(2,
                               [](CheckpointWriter& writer) {
                                 fill(writer);
                                 throw std::runtime_error("stopped");
                               }),
                    "stopped");
  CHECK(names(run / "checkpoints") == std::vector<std::string>{"step-00000001"});
  CHECK(store.choose("latest").step == 1);
}

TEST_CASE("A run folder that was moved, removed, emptied or replaced is not made again", "[unit]") {
  const test::TemporaryDirectory folder;
  const auto run = folder / "run";
  const std::map<std::string, std::function<void()>> changes = {
      {"moved", [&] { std::filesystem::rename(run, folder / "elsewhere"); }},
      {"removed", [&] { std::filesystem::remove_all(run); }},
      {"emptied", [&] { std::filesystem::remove(run / "LOCK"); }},
      {"replaced", [&] {
         std::filesystem::rename(run, folder / "other");
         std::filesystem::create_directory(run);
       }}};
  for (const auto& [name, change] : changes) {
    CAPTURE(name);
    std::filesystem::remove_all(run);
    const RunLock lock(run);
    CheckpointStore store(run);
    change();
    const bool stays = std::filesystem::exists(run);
    CHECK_THROWS_WITH(store.save(1, fill), test::contains("/run: was moved, removed or emptied"));
    CHECK(std::filesystem::exists(run) == stays);
    CHECK_FALSE(std::filesystem::exists(run / "checkpoints"));
  }
}

TEST_CASE("Saving a step again replaces it whole", "[unit]") {
  const test::TemporaryDirectory run;
  CheckpointStore store(run.path());
  store.save(7, fill);
  store.save(7, [](CheckpointWriter& writer) { writer.write("other", "new"); });
  CHECK(names(run / "checkpoints") == std::vector<std::string>{"step-00000007"});
  CHECK(names(run / "checkpoints" / "step-00000007") ==
        std::vector<std::string>{"manifest.json", "other"});
}

TEST_CASE("A damaged checkpoint is set aside and the one before it found", "[unit]") {
  const test::TemporaryDirectory run;
  CheckpointStore store(run.path());
  for (const int step : {1, 2, 3}) store.save(step, fill);
  damage(run / "checkpoints/step-00000003/weights");
  std::filesystem::remove(run / "checkpoints/step-00000002/manifest.json");

  SECTION("a reader leaves everything where it is") {
    CHECK(store.newest_good(Damaged::skip)->step == 1);
    CHECK(steps(store) == std::vector<std::int64_t>{3, 2, 1});
  }
  SECTION("the owner renames what is bad") {
    CHECK(store.newest_good(Damaged::set_aside)->step == 1);
    CHECK(names(run / "checkpoints") ==
          std::vector<std::string>{"step-00000001", "step-00000002.bad", "step-00000003.bad"});
  }
}

TEST_CASE("Nothing is set aside for a checkpoint that cannot be read now", "[unit]") {
  const test::TemporaryDirectory run;
  CheckpointStore store(run.path());
  store.save(1, fill);
  store.save(2, [](CheckpointWriter& writer) { writer.write("weights", ""); });
  store.save(3, fill);
  const auto second = run / "checkpoints/step-00000002";
  std::filesystem::remove(run / "checkpoints/step-00000003/weights");
  const auto all = names(run / "checkpoints");

  SECTION("as the disk fails") {
    std::filesystem::remove(second / "weights");
    std::filesystem::create_symlink("/proc/self/mem", second / "weights");  // EIO at its beginning
    CHECK_THROWS_AS(store.newest_good(Damaged::set_aside), SystemError);
    CHECK_THROWS_WITH(store.newest_good(Damaged::set_aside),
                      test::contains("step-00000002/weights: cannot be read: Input/output error") &&
                          test::contains("make step-00000002 readable"));
  }
  SECTION("as a newer version wrote it") {
    std::ofstream(second / "manifest.json") << R"({"format_version": 2})";
    CHECK_THROWS_AS(store.newest_good(Damaged::set_aside), NewerVersion);
    CHECK_THROWS_WITH(store.newest_good(Damaged::set_aside),
                      test::contains("use a newer dragoman"));
  }
  CHECK(names(run / "checkpoints") == all);
  CHECK(store.newest_good(Damaged::skip)->step == 1);
  std::filesystem::remove_all(run / "checkpoints/step-00000001");
  CHECK_THROWS_AS(store.newest_good(Damaged::skip), std::exception);
  CHECK_THROWS_WITH(store.newest_good(Damaged::skip), !test::contains("remove the folder"));
}

TEST_CASE("Checkpoints without a good one are an error, also the second time", "[unit]") {
  const test::TemporaryDirectory run;
  CheckpointStore store(run.path());
  store.save(1, fill);
  damage(run / "checkpoints/step-00000001/state.json");
  std::filesystem::create_directory(run / "checkpoints/step-00000002.bad");
  for (int time = 0; time < 2; ++time)
    CHECK_THROWS_WITH(store.newest_good(Damaged::set_aside),
                      test::contains("no intact one") &&
                          test::contains("state.json: its SHA-256") &&
                          test::contains("; step-00000002.bad: was set aside before"));
  CHECK(std::filesystem::exists(run / "checkpoints/step-00000001"));
}

TEST_CASE("What all checkpoints have in common is told once", "[unit]") {
  const test::TemporaryDirectory run;
  CheckpointStore store(run.path());
  for (const int step : {1, 2, 3}) store.save(step, fill);
  test::LogTaken log;

  SECTION("damage") {
    for (const auto& checkpoint : store.list()) damage(checkpoint.path / "state.json");
    CHECK_THROWS_WITH(store.newest_good(Damaged::skip),
                      test::contains("holds 3 checkpoints, but no intact one") &&
                          test::contains("; step-00000003, step-00000002, step-00000001: "
                                         "state.json: its SHA-256"));
    CHECK(log.warnings.empty());
  }
  SECTION("a newer version") {
    for (const auto& checkpoint : store.list())
      std::ofstream(checkpoint.path / "manifest.json") << R"({"format_version": 2})";
    CHECK_THROWS_AS(store.newest_good(Damaged::skip), NewerVersion);
    REQUIRE(log.warnings.size() == 1);
    CHECK_THAT(log.warnings.front(),
               test::contains("holds 3 checkpoints, none of which can be used"));
  }
  SECTION("not damage of one and a newer version of the others") {
    const auto checkpoints = store.list();
    damage(checkpoints.front().path / "state.json");
    for (const auto& checkpoint : std::span(checkpoints).subspan(1))
      std::ofstream(checkpoint.path / "manifest.json") << R"({"format_version": 2})";
    CHECK_THROWS_AS(store.newest_good(Damaged::skip), NewerVersion);
    REQUIRE(log.warnings.size() == 3);
    CHECK_THAT(log.warnings.front(), test::contains("checkpoint step-00000003 is damaged"));
  }
}

TEST_CASE("Retention keeps the newest ones and the best of each metric", "[unit]") {
  const test::TemporaryDirectory run;
  CheckpointStore store(run.path(), 2);
  for (const int step : {1, 2, 3, 4, 5, 6}) store.save(step, fill);
  store.mark_best("bleu", 2);
  store.mark_best("loss", 6);
  store.retain();
  CHECK(steps(store) == std::vector<std::int64_t>{6, 5, 2});
  CHECK(store.best("bleu")->step == 2);
  CHECK_FALSE(store.best("chrf"));

  store.mark_best("bleu", 5);
  store.retain();
  CHECK(steps(store) == std::vector<std::int64_t>{6, 5});
  CHECK_THROWS_AS(store.mark_best("bleu", 2), ContractError);
}

TEST_CASE("A checkpoint is chosen by its name, as the best or as the newest good one", "[unit]") {
  const test::TemporaryDirectory run;
  CheckpointStore store(run.path());
  for (const int step : {1, 2, 3}) store.save(step, fill);
  store.mark_best("bleu", 1);
  damage(run / "checkpoints/step-00000003/weights");
  CHECK(store.choose("latest").step == 2);
  CHECK(store.choose("best-bleu").step == 1);
  CHECK(store.choose("step-00000003").step == 3);
  CHECK(store.choose("step-3").step == 3);
  CHECK_THROWS_WITH(store.choose("step-4"), test::contains("no checkpoint 'step-4' here"));
  CHECK_THROWS_WITH(store.choose("best-chrf"),
                    test::contains("no checkpoint 'best-chrf' here; there are step-00000003, "
                                   "step-00000002, step-00000001, best-bleu"));
  CHECK_THROWS_AS(store.choose("best-/../../latest"), DataError);
}

TEST_CASE("Only names that a rename gave are checkpoints", "[unit]") {
  const test::TemporaryDirectory run;
  CheckpointStore store(run.path());
  store.save(1, fill);
  for (const char* name : {"step-00000002.tmp-17", "step-00000003.bad", "step-4", "step-0000000x",
                           "step-00000005.tmp-delete", "other"})
    std::filesystem::create_directory(run / "checkpoints" / name);
  const auto unfinished = run / "checkpoints/step-00000001/validation.json.tmp-17";
  std::ofstream(unfinished) << '{';
  CHECK(steps(store) == std::vector<std::int64_t>{1});
  CHECK_FALSE(store.find("../checkpoints/step-00000001"));
  store.remove_leftovers();
  CHECK_FALSE(std::filesystem::exists(unfinished));
  CHECK(names(run / "checkpoints") == std::vector<std::string>{"other", "step-00000001",
                                                               "step-00000003.bad", "step-0000000x",
                                                               "step-4"});
}

}  // namespace checkpoint_store_test
