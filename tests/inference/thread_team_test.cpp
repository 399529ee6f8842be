#include "dragoman/inference/thread_team.h"

#include "support/catch.h"

#include <atomic>
#include <vector>

namespace thread_team_test {

using dragoman::ThreadTeam;

TEST_CASE("a team does each part of each piece of work once", "[property]") {
  for (const std::int64_t threads : {1, 2, 5}) {
    ThreadTeam team(threads);
    for (std::int64_t parts = 0; parts < 200; ++parts) {
      std::vector<std::atomic<int>> done(static_cast<std::size_t>(parts));
      team.share(parts, 1 + parts % 7, [&](std::int64_t first, std::int64_t last) {
        for (auto i = first; i < last; ++i) ++done[static_cast<std::size_t>(i)];
      });
      for (const auto& times : done) CHECK(times == 1);
    }
  }
}

TEST_CASE("ranges have the grain at least, so that small work stays with the caller", "[unit]") {
  ThreadTeam team(4);
  std::atomic<int> ranges{0};
  team.share(10, 11, [&](std::int64_t, std::int64_t) { ++ranges; });
  CHECK(ranges == 1);
  team.share(10, 5, [&](std::int64_t, std::int64_t) { ++ranges; });
  CHECK(ranges == 3);
}

}  // namespace thread_team_test
