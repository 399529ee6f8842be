#include "dragoman/corpus/pair_sample.h"

#include "support/catch.h"

#include <string>

namespace pair_sample_test {

using namespace dragoman;

TEST_CASE("a small text is sampled whole and in order", "[unit]") {
  PairSample sample(5);
  for (int i = 0; i < 5; ++i) sample.add(0, {std::to_string(i), "x"});
  CHECK(sample.complete());
  const auto drawn = std::move(sample).take();
  REQUIRE(drawn.size() == 5);
  for (std::size_t i = 0; i < 5; ++i) CHECK(drawn[i].pair.source == std::to_string(i));
}

TEST_CASE("a larger text is drawn from evenly and stays in order", "[unit]") {
  PairSample sample(1000, 3);
  for (int i = 0; i < 10000; ++i) sample.add(i < 7000 ? 0 : 1, {std::to_string(i), "x"});
  CHECK_FALSE(sample.complete());
  CHECK(sample.seen() == 10000);
  const auto drawn = std::move(sample).take();
  REQUIRE(drawn.size() == 1000);
  std::size_t of_first = 0;
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    if (i > 0) CHECK(drawn[i - 1].number < drawn[i].number);
    of_first += drawn[i].file == 0 ? 1 : 0;
  }
  CHECK(of_first > 650);
  CHECK(of_first < 750);
}

}  // namespace pair_sample_test
