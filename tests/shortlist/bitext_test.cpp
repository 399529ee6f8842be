#include "dragoman/shortlist/bitext.h"

#include "support/catch.h"

#include <algorithm>
#include <vector>

namespace bitext_test {

using dragoman::Bitext;
using Ids = std::vector<std::int32_t>;

TEST_CASE("a text keeps its pairs in order, without empty and very long ones", "[unit]") {
  Bitext text;
  text.add(Ids{1, 2, 3}, Ids{4});
  text.add(Ids{}, Ids{4});
  text.add(Ids(129, 5), Ids{4});
  text.add(Ids{6}, Ids{7, 8});
  REQUIRE(text.size() == 2);
  CHECK(text.too_long() == 1);
  CHECK(std::ranges::equal(text.source(0), Ids{1, 2, 3}));
  CHECK(std::ranges::equal(text.target(0), Ids{4}));
  CHECK(std::ranges::equal(text.source(1), Ids{6}));
  CHECK(std::ranges::equal(text.target(1), Ids{7, 8}));
}

TEST_CASE("of a text that is too large evenly spread pairs are kept", "[unit]") {
  Bitext text(100);
  for (std::int32_t i = 0; i < 1000; ++i) text.add(Ids{i}, Ids{i, i});
  CHECK(text.every() == 16);
  CHECK(text.size() == 63);
  for (std::size_t i = 0; i < text.size(); ++i)
    CHECK(text.source(i).front() == static_cast<std::int32_t>(16 * i));
}

}  // namespace bitext_test
