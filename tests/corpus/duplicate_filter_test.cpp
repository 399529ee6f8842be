#include "dragoman/corpus/duplicate_filter.h"

#include "support/catch.h"

#include <string>

namespace duplicate_filter_test {

using namespace dragoman;

TEST_CASE("a text is new once", "[unit]") {
  DuplicateFilter seen;
  CHECK_FALSE(seen.contains("a"));
  CHECK(seen.insert("a"));
  CHECK_FALSE(seen.insert("a"));
  CHECK(seen.contains("a"));
  CHECK_FALSE(seen.contains("b"));
}

TEST_CASE("pairs are told apart by where the source ends", "[unit]") {
  DuplicateFilter seen;
  CHECK(seen.insert(LinePair{"a", "bc"}));
  CHECK(seen.insert(LinePair{"ab", "c"}));
  CHECK_FALSE(seen.insert(LinePair{"a", "bc"}));
  CHECK(seen.contains(LinePair{"ab", "c"}));
}

TEST_CASE("a hundred thousand texts are all remembered and no other", "[property]") {
  DuplicateFilter seen;
  bool all_new = true, all_known = true, none_else = true;
  for (int i = 0; i < 100000; ++i) all_new = seen.insert(std::to_string(i)) && all_new;
  for (int i = 0; i < 100000; ++i) all_known = seen.contains(std::to_string(i)) && all_known;
  for (int i = 100000; i < 200000; ++i) none_else = !seen.contains(std::to_string(i)) && none_else;
  CHECK(all_new);
  CHECK(all_known);
  CHECK(none_else);
}

}  // namespace duplicate_filter_test
