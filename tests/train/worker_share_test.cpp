#include "dragoman/train/worker_share.h"

#include "support/catch.h"

#include <algorithm>
#include <utility>

namespace worker_share_test {

using dragoman::binding_warning;
using dragoman::TrainOptions;
using dragoman::within_quota;
using test::contains;

TEST_CASE("a process with less than half of its share of the host's cores is warned of", "[unit]") {
  const auto warning = binding_warning({.own = 1, .host = 16, .ranks = 1});
  REQUIRE(warning);
  CHECK_THAT(*warning, contains("this process may use 1 of 16 cores"));
  CHECK_THAT(*warning, contains("mpirun --bind-to none (or --map-by slot:PE=16"));
  const auto two = binding_warning({.own = 2, .host = 16, .ranks = 2});
  REQUIRE(two);
  CHECK_THAT(*two, contains("slot:PE=8, srun -c 8"));
  CHECK(binding_warning({.own = 3, .host = 14, .ranks = 2}));
}

TEST_CASE("a process with half of its share or more is not warned of", "[unit]") {
  CHECK_FALSE(binding_warning({.own = 16, .host = 16, .ranks = 1}));
  CHECK_FALSE(binding_warning({.own = 8, .host = 16, .ranks = 2}));
  CHECK_FALSE(binding_warning({.own = 4, .host = 16, .ranks = 2}));
  CHECK_FALSE(binding_warning({.own = 1, .host = 2, .ranks = 1}));
  CHECK_FALSE(binding_warning({.own = 1, .host = 1, .ranks = 4}));
}

TEST_CASE("workers are as many as the batch and the memory can feed, and use all cores", "[unit]") {
  constexpr std::int64_t gigabyte = std::int64_t{1} << 30;
  const auto planned = [](std::int64_t cores, std::int64_t batch_tokens, std::int64_t parameters,
                          std::int64_t memory) {
    TrainOptions options;
    options.batch_tokens = batch_tokens;
    const auto plan = dragoman::plan_workers(options, cores, parameters, memory);
    return std::pair(plan.workers, plan.threads);
  };
  using Plan = std::pair<std::int64_t, std::int64_t>;
  CHECK(planned(2, 4096, 10'000'000, 16 * gigabyte) == Plan(2, 1));
  CHECK(planned(2, 768, 1'000'000, 16 * gigabyte) == Plan(2, 1));
  CHECK(planned(2, 300, 1'000'000, 16 * gigabyte) == Plan(1, 2));
  CHECK(planned(64, 4096, 65'000'000, 256 * gigabyte) == Plan(16, 4));
  CHECK(planned(64, 25000, 65'000'000, 256 * gigabyte) == Plan(64, 1));
  CHECK(planned(64, 25000, 213'000'000, 128 * gigabyte) == Plan(16, 4));
  CHECK(planned(6, 1100, 1'000'000, 16 * gigabyte) == Plan(3, 2));
  CHECK(planned(7, 1100, 1'000'000, 16 * gigabyte) == Plan(1, 7));
}

TEST_CASE("a number of workers or threads that is set is taken", "[unit]") {
  TrainOptions options;
  options.workers = 3;
  CHECK(dragoman::plan_workers(options, 8, 1000, 1 << 30).workers == 3);
  CHECK(dragoman::plan_workers(options, 8, 1000, 1 << 30).threads == 1);
  options.threads = 2;
  CHECK(dragoman::plan_workers(options, 8, 1000, 1 << 30).threads == 2);
  options.workers = 0;
  options.batch_tokens = 4096;
  for (const std::int64_t threads : {1, 2, 3, 8, 12}) {
    options.threads = threads;
    const auto plan = dragoman::plan_workers(options, 8, 1000, 1 << 30);
    CAPTURE(threads);
    CHECK(plan.threads == threads);
    CHECK(plan.workers == std::max<std::int64_t>(1, 8 / threads));
  }
}

TEST_CASE("processes of one host share the quota of its control group", "[unit]") {
  CHECK(within_quota(64, std::nullopt, 4) == 64);
  CHECK(within_quota(64, 4, 1) == 4);
  CHECK(within_quota(64, 4, 2) == 2);
  CHECK(within_quota(1, 4, 2) == 1);
  CHECK(within_quota(64, 4, 8) == 1);
}

}  // namespace worker_share_test
