#include "dragoman/distributed/device_sum.h"

#include "dragoman/distributed/single.h"
#include "support/catch.h"

namespace dragoman::device_sum_test {

TEST_CASE("NCCL sums if each rank has its own GPU", "[unit]") {
  const auto choice =
      choose_sum({{0, "0000:3b:00.0", true}, {0, "0000:5e:00.0", true}, {1, "0000:3b:00.0", true}});
  CHECK(choice.by_nccl);
  CHECK(choice.obstacle.empty());
}

TEST_CASE("ranks that share a GPU sum in host memory, and both are named", "[unit]") {
  const auto choice =
      choose_sum({{0, "0000:3b:00.0", true}, {1, "0000:3b:00.0", true}, {0, "0000:3b:00.0", true}});
  CHECK_FALSE(choice.by_nccl);
  CHECK(choice.obstacle == "ranks 0 and 2 share a GPU");
}

TEST_CASE("one rank without NCCL is enough to sum in host memory", "[unit]") {
  const auto choice = choose_sum({{0, "0000:3b:00.0", true}, {1, "0000:3b:00.0", false}});
  CHECK_FALSE(choice.by_nccl);
  CHECK(choice.obstacle == "rank 1's program has no NCCL");
}

TEST_CASE("one rank on a CPU is enough to sum in host memory, silently", "[unit]") {
  for (const auto& gpu : {"0000:3b:00.0", ""}) {
    const auto choice = choose_sum({{0, gpu, true}, {1, "", true}});
    CHECK_FALSE(choice.by_nccl);
    CHECK(choice.obstacle.empty());
  }
}

TEST_CASE("ranks on CPUs join no devices", "[unit]") {
  Single group;
  CHECK_FALSE(join_devices(group, c10::kCPU));
}

}  // namespace dragoman::device_sum_test
