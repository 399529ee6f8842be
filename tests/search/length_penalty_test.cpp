#include "dragoman/search/length_penalty.h"

#include "support/catch.h"

namespace length_penalty_test {

using dragoman::length_penalty;
using dragoman::LengthPenaltyKind;
using dragoman::SearchOptions;

TEST_CASE("the length penalty is ((5 + n) / 6)^alpha, or n^alpha", "[unit]") {
  CHECK(length_penalty(SearchOptions{.length_penalty = 0.6}, 1) == 1.0);
  CHECK(length_penalty(SearchOptions{.length_penalty = 2.0}, 7) == test::Approx(4.0));
  CHECK(length_penalty(SearchOptions{.length_penalty = 0.0}, 30) == 1.0);
  const SearchOptions power{.length_penalty = 0.5, .length_penalty_kind = LengthPenaltyKind::power};
  CHECK(length_penalty(power, 9) == test::Approx(3.0));
}

}  // namespace length_penalty_test
