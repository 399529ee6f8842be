#include "dragoman/core/chunks_in_work.h"

#include "support/catch.h"

#include <latch>
#include <stdexcept>
#include <utility>

namespace chunks_in_work_test {

using Chunks = dragoman::ChunksInWork<int, int>;

TEST_CASE("the second chunk starts before the first ends", "[unit]") {
  std::latch second_started(1);
  Chunks chunks;
  chunks.start(10, [&](int chunk) {
    second_started.wait();
    return chunk + 1;
  });
  REQUIRE(chunks.has_room());
  chunks.start(20, [&](int chunk) {
    second_started.count_down();
    return chunk + 2;
  });
  CHECK_FALSE(chunks.has_room());
  CHECK(chunks.take_first() == std::pair(10, 11));
  CHECK(chunks.take_first() == std::pair(20, 22));
  CHECK(chunks.empty());
}

TEST_CASE("chunks are taken in input order, whichever ends first", "[unit]") {
  std::latch second_ends(1);
  Chunks chunks;
  chunks.start(1, [&](int chunk) {
    second_ends.wait();
    return chunk;
  });
  chunks.start(2, [&](int chunk) {
    second_ends.count_down();
    return chunk;
  });
  CHECK(chunks.take_first().first == 1);
  CHECK(chunks.take_first().first == 2);
}

TEST_CASE("what the work of a chunk throws is thrown where the chunk is taken", "[unit]") {
  Chunks chunks;
  chunks.start(1, [](int) -> int { throw std::runtime_error("damaged"); });
  chunks.start(2, [](int chunk) { return chunk; });
  CHECK_THROWS_WITH(chunks.take_first(), "damaged");
  CHECK(chunks.take_first() == std::pair(2, 2));
  CHECK(chunks.empty());
}

}  // namespace chunks_in_work_test
