#include "dragoman/metrics/count_range.h"

#include "support/catch.h"

namespace count_range_test {

using namespace dragoman;

TEST_CASE("ranges end at the given numbers, and the last has no end", "[unit]") {
  const auto ranges = count_ranges({0, 1, 5});
  std::vector<std::string> texts;
  for (const auto& range : ranges) texts.push_back(range.text());
  CHECK(texts == std::vector<std::string>{"0", "1", "2 to 5", "over 5"});
  CHECK(range_of(ranges, 0) == 0);
  CHECK(range_of(ranges, 1) == 1);
  CHECK(range_of(ranges, 2) == 2);
  CHECK(range_of(ranges, 5) == 2);
  CHECK(range_of(ranges, 6) == 3);
  CHECK(range_of(ranges, 1000000) == 3);
}

}  // namespace count_range_test
