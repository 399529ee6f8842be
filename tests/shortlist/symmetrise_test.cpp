#include "dragoman/shortlist/symmetrise.h"

#include "support/catch.h"

#include <algorithm>

namespace symmetrise_test {

using dragoman::AlignedPositions;
using dragoman::grow_diag_final_and;
using Origins = std::vector<std::int32_t>;
using Points = std::vector<AlignedPositions>;

namespace {

Points joined(const Origins& source_of, const Origins& target_of) {
  auto points = grow_diag_final_and(source_of, target_of);
  std::ranges::sort(points);
  return points;
}

}  // namespace

TEST_CASE("what both directions say stays", "[unit]") {
  CHECK(joined({1, 0}, {1, 0}) == Points{{0, 1}, {1, 0}});
}

TEST_CASE("a neighbour in one direction joins if one of its positions is free", "[unit]") {
  // Source 0 is aligned to target 0 by both; the source direction also sends 1 there.
  CHECK(joined({0}, {0, 0}) == Points{{0, 0}, {1, 0}});
  // Growing goes on from what was added.
  CHECK(joined({0}, {0, 0, 0}) == Points{{0, 0}, {1, 0}, {2, 0}});
}

TEST_CASE("a point far from the others joins only between positions without any", "[unit]") {
  CHECK(joined({0, -1, -1, 3}, {0, -1, -1, -1}) == Points{{0, 0}, {3, 3}});
  CHECK(joined({0, -1, -1, 0}, {0, -1, -1, -1}) == Points{{0, 0}});
}

TEST_CASE("sentences without any point have none", "[unit]") {
  CHECK(joined({-1, -1}, {-1}).empty());
}

}  // namespace symmetrise_test
