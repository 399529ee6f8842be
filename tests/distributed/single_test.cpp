#include "dragoman/distributed/single.h"

#include "support/catch.h"

#include <array>

namespace dragoman::single_test {

TEST_CASE("a single process is rank 0 of 1 and keeps its numbers", "[unit]") {
  Single group;
  CHECK(group.rank() == 0);
  CHECK(group.size() == 1);
  std::array<float, 3> floats{1.5F, -2.0F, 0.25F};
  std::array<double, 2> doubles{0.1, 0.2};
  group.start_sum(floats, 0);
  group.start_sum(doubles, 1);
  group.wait();
  CHECK(floats == std::array<float, 3>{1.5F, -2.0F, 0.25F});
  sum(group, doubles);
  CHECK(doubles == std::array<double, 2>{0.1, 0.2});
}

TEST_CASE("a single process gathers and broadcasts its own text", "[unit]") {
  Single group;
  CHECK(group.gather("own") == std::vector<std::string>{"own"});
  CHECK(broadcast_text(group, "own") == "own");
  CHECK(broadcast_text(group, "").empty());
}

}  // namespace dragoman::single_test
