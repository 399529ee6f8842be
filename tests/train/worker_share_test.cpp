#include "dragoman/train/worker_share.h"

#include "support/catch.h"

namespace worker_share_test {

using dragoman::binding_warning;
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

}  // namespace worker_share_test
