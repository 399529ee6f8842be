#include "dragoman/train/background_task.h"

#include "dragoman/core/error.h"
#include "support/catch.h"
#include "support/log_taken.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

namespace dragoman::background_task_test {

namespace {

bool wait_for_end(const BackgroundTask& task) {
  for (int i = 0; i < 10000 && !task.has_ended(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return task.has_ended();
}

}  // namespace

TEST_CASE("a task runs beside the thread that started it and is waited for", "[unit]") {
  BackgroundTask task;
  CHECK_FALSE(task.has_ended());
  task.finish();  // there is none
  std::atomic<bool> go = false;
  int done = 0;
  task.start([&] {
    while (!go) std::this_thread::yield();
    done = 1;
  });
  CHECK_FALSE(task.has_ended());
  go = true;
  task.start([&] { done *= 2; });  // after the first
  task.finish();
  CHECK(done == 2);
  CHECK_FALSE(task.has_ended());
}

TEST_CASE("what a task throws is thrown once, by the next call that waits", "[unit]") {
  BackgroundTask task;
  task.start([] { throw DataError("full"); });
  CHECK(wait_for_end(task));
  CHECK_THROWS_AS(task.finish(), DataError);
  CHECK_NOTHROW(task.finish());
  task.start([] { throw DataError("full"); });
  bool ran = false;
  CHECK_THROWS_AS(task.start([&] { ran = true; }), DataError);
  CHECK_FALSE(ran);
}

TEST_CASE("a task's memory is free when it has ended", "[unit]") {
  BackgroundTask task;
  auto memory = std::make_shared<int>(1);
  const std::weak_ptr<int> seen = memory;
  task.start([held = std::move(memory)] { static_cast<void>(held); });
  CHECK(wait_for_end(task));
  CHECK(seen.expired());
}

TEST_CASE("a failure that nobody asks for is a warning", "[unit]") {
  const test::LogTaken log;
  {
    BackgroundTask task;
    task.start([] { throw DataError("the disk is full"); });
  }
  REQUIRE(log.warnings.size() == 1);
  CHECK_THAT(log.warnings.front(), test::contains("the disk is full"));
}

}  // namespace dragoman::background_task_test
