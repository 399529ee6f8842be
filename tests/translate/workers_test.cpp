#include "dragoman/translate/workers.h"

#include "dragoman/core/error.h"
#include "support/catch.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace workers_test {

namespace {

using dragoman::EnsembleWorker;
using dragoman::EnsembleWorkers;
using dragoman::InferenceModels;

const InferenceModels no_models;

/// Makes workers that do nothing, at the given attempts none.
class FailingModel : public dragoman::InferenceModel {
 public:
  explicit FailingModel(std::set<int> failures) : failures_(std::move(failures)) {}
  std::unique_ptr<dragoman::InferenceWorker> make_worker(
      const dragoman::InferenceOptions&) const override {
    if (failures_.contains(++attempts_)) throw dragoman::DataError("no memory");
    return nullptr;
  }
  const dragoman::ModelOptions& options() const override { return options_; }
  bool is_on_cpu() const override { return true; }
  std::string description() const override { return "failing"; }

 private:
  std::set<int> failures_;
  mutable int attempts_ = 0;
  dragoman::ModelOptions options_;
};

}  // namespace

TEST_CASE("several callers share as many threads as there are workers", "[unit]") {
  EnsembleWorkers workers(no_models, {}, 3);
  std::mutex mutex;
  std::set<std::thread::id> threads;
  std::atomic<int> running{0}, most{0}, done{0};
  const auto call = [&] {
    for (int repeat = 0; repeat < 20; ++repeat)
      workers.run(7, [&](const EnsembleWorker&, std::int64_t) {
        const int now = ++running;
        for (int before = most; before < now && !most.compare_exchange_weak(before, now);) {
        }
        {
          const std::lock_guard lock(mutex);
          threads.insert(std::this_thread::get_id());
        }
        ++done;
        --running;
      });
  };
  {
    std::vector<std::jthread> callers;
    for (int i = 0; i < 4; ++i) callers.emplace_back(call);
  }
  CHECK(done == 4 * 20 * 7);
  CHECK(most <= 3);
  CHECK(threads.size() <= 3);
}

TEST_CASE("a long call advances although there are always shorter ones", "[unit]") {
  EnsembleWorkers workers(no_models, {}, 1);
  constexpr int short_calls = 12;
  std::string begun;  // by the only thread
  std::vector<std::jthread> callers;
  std::atomic<int> calling{0};
  workers.run(30, [&](const EnsembleWorker&, std::int64_t task) {
    begun.push_back('l');
    if (task > 0) return;
    for (int i = 0; i < short_calls; ++i)
      callers.emplace_back([&] {
        ++calling;
        workers.run(1, [&](const EnsembleWorker&, std::int64_t) { begun.push_back('s'); });
      });
    while (calling < short_calls) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));  // until most of them wait
  });
  for (auto& caller : callers) caller.join();
  const auto while_long = begun.substr(0, begun.rfind('l'));
  CHECK_THAT(while_long, !test::contains("ssss"));
}

TEST_CASE("the tasks of a call begin in order, those of the first call first", "[unit]") {
  EnsembleWorkers workers(no_models, {}, 1);
  std::vector<std::int64_t> begun;
  std::atomic<bool> first_runs{false}, second_waits{false};
  std::jthread second([&] {
    first_runs.wait(false);
    second_waits = true;
    second_waits.notify_one();
    workers.run(2, [&](const EnsembleWorker&, std::int64_t i) { begun.push_back(10 + i); });
  });
  workers.run(3, [&](const EnsembleWorker&, std::int64_t i) {
    first_runs = true;
    first_runs.notify_one();
    second_waits.wait(false);
    begun.push_back(i);
  });
  second.join();
  CHECK(begun == std::vector<std::int64_t>{0, 1, 2, 10, 11});
}

TEST_CASE("a short call does not wait for a long one, and is cancelled while it waits", "[unit]") {
  EnsembleWorkers workers(no_models, {}, 1);
  std::atomic<bool> short_is_done{false}, was_cancelled{false};
  std::int64_t begun_before = 0;
  std::jthread others;
  workers.run(1000, [&](const EnsembleWorker&, std::int64_t task) {
    if (task == 0) {
      // The only thread is here: these calls wait.
      std::stop_source stop;
      std::jthread waiting([&] {
        try {
          workers.run(1, [](const EnsembleWorker&, std::int64_t) {}, stop.get_token());
        } catch (const dragoman::Cancelled&) {
          was_cancelled = true;
        }
      });
      stop.request_stop();
      waiting.join();
      others = std::jthread([&] {
        workers.run(1, [&](const EnsembleWorker&, std::int64_t) { short_is_done = true; });
      });
    }
    if (short_is_done) return;
    begun_before = task;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));  // for the other to ask
  });
  CHECK(was_cancelled);
  CHECK(short_is_done);
  CHECK(begun_before < 999);
}

TEST_CASE("the calling thread is told of tasks that have ended, the last one included", "[unit]") {
  EnsembleWorkers workers(no_models, {}, 2);
  std::atomic<int> done{0};
  std::vector<int> told;
  const auto count = [&](const EnsembleWorker&, std::int64_t) { ++done; };
  const auto caller = std::this_thread::get_id();
  workers.run(20, count, {}, [&] {
    CHECK(std::this_thread::get_id() == caller);
    told.push_back(done);
  });
  REQUIRE(!told.empty());
  CHECK(std::ranges::is_sorted(told));
  CHECK(told.back() == 20);
  CHECK_THROWS_WITH(workers.run(20, count, {}, [] { throw dragoman::DataError("mine"); }), "mine");
}

TEST_CASE("the calling thread is told of a task before the next one ends", "[unit]") {
  EnsembleWorkers workers(no_models, {}, 1);
  std::atomic<int> told{0};
  const auto wait_for_previous = [&](const EnsembleWorker&, std::int64_t task) {
    for (int count = told; count < task; count = told) told.wait(count);
  };
  const auto count = [&] {
    ++told;
    told.notify_one();
  };
  workers.run(20, wait_for_previous, {}, count);
  CHECK(told == 20);
}

TEST_CASE("a call is cancelled however busy the calling thread is with being told", "[unit]") {
  EnsembleWorkers workers(no_models, {}, 1);
  std::stop_source stop;
  std::atomic<int> done{0};
  const auto wait = [&](const EnsembleWorker&, std::int64_t) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ++done;
  };
  const auto tell = [&] {
    stop.request_stop();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  };
  CHECK_THROWS_AS(workers.run(1000, wait, stop.get_token(), tell), dragoman::Cancelled);
  CHECK(done < 1000);
}

TEST_CASE("a task that fails ends its own call alone", "[unit]") {
  EnsembleWorkers workers(no_models, {}, 2);
  std::atomic<int> begun{0};
  const auto fail = [&](const EnsembleWorker&, std::int64_t) {
    ++begun;
    throw dragoman::DataError("failed");
  };
  CHECK_THROWS_WITH(workers.run(1000, fail), "failed");
  CHECK(begun <= 2);
  std::atomic<int> done{0};
  workers.run(50, [&](const EnsembleWorker&, std::int64_t) { ++done; });
  CHECK(done == 50);
}

TEST_CASE("no task is given a part of an ensemble", "[unit]") {
  const InferenceModels models{std::make_shared<FailingModel>(std::set<int>{}),
                               std::make_shared<FailingModel>(std::set{1})};
  EnsembleWorkers workers(models, {}, 1);
  std::vector<std::size_t> sizes;
  const auto run = [&] {
    workers.run(
        1, [&](const EnsembleWorker& worker, std::int64_t) { sizes.push_back(worker.size()); });
  };
  CHECK_THROWS_WITH(run(), "no memory");
  run();
  CHECK(sizes == std::vector<std::size_t>{2});
}

TEST_CASE("a child process has threads of its own", "[unit]") {
  auto workers = std::make_unique<EnsembleWorkers>(no_models, dragoman::InferenceOptions{}, 2);
  const auto count = [&] {
    std::atomic<int> done{0};
    workers->run(5, [&](const EnsembleWorker&, std::int64_t) { ++done; });
    return done.load();
  };
  CHECK(count() == 5);
  const auto child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    ::alarm(20);
    const int done = count() + count();
    workers.reset();
    ::_exit(done);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 10);
  CHECK(count() == 5);
}

}  // namespace workers_test
