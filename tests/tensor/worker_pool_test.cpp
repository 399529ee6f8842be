#include "dragoman/tensor/worker_pool.h"

#include "support/catch.h"

#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

namespace worker_pool_test {

using dragoman::WorkerPool;

TEST_CASE("each worker is called once, and the parts of a vector are all of it", "[unit]") {
  WorkerPool pool(3);
  std::vector<std::atomic<int>> calls(3);
  pool.run([&](std::int64_t worker) { ++calls[static_cast<std::size_t>(worker)]; });
  for (const auto& count : calls) CHECK(count == 1);
  std::vector<std::atomic<int>> elements(1000);
  pool.parallel_for(1000, [&](std::int64_t begin, std::int64_t end) {
    for (auto i = begin; i < end; ++i) ++elements[static_cast<std::size_t>(i)];
  });
  for (const auto& count : elements) CHECK(count == 1);
}

TEST_CASE("the failures of one round are not those of the next", "[unit]") {
  WorkerPool pool(3);
  const auto fail = [](std::int64_t worker) {
    throw std::runtime_error("worker " + std::to_string(worker));
  };
  CHECK_THROWS_WITH(pool.run(fail), "worker 0");
  std::atomic<int> calls = 0;
  CHECK_NOTHROW(pool.run([&](std::int64_t) { ++calls; }));
  CHECK(calls == 3);
}

}  // namespace worker_pool_test
