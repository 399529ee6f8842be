#include "dragoman/metrics/frequency_breakdown.h"

#include "support/catch.h"

namespace frequency_breakdown_test {

using namespace dragoman;

namespace {

const WordCounts training = {{U"the", 500}, {U"cat", 3}, {U"sat", 5}, {U"mat", 1}, {U"dog", 20}};

}  // namespace

TEST_CASE("recall and precision of words are by their counts in the training text", "[unit]") {
  // Line 1 has "the" twice against once, "cat" in both, "mat" in the reference alone, "hat" in the
  // hypothesis alone. Line 2 has only what line 1 lacks: counts do not cross lines.
  const std::vector<LineWords> hypotheses = {{U"the", U"the", U"cat", U"hat"}, {U"mat"}};
  const std::vector<LineWords> references = {{U"the", U"cat", U"mat"}, {U"dog", U"dog"}};
  const auto classes = words_by_frequency(hypotheses, references, training);
  REQUIRE(classes.size() == 5);
  CHECK(classes[0].occurrences.text() == "0");  // hat
  CHECK(classes[0].reference_words == 0);
  CHECK(classes[0].hypothesis_words == 1);
  CHECK_FALSE(classes[0].recall().has_value());
  CHECK(classes[0].precision() == 0.0);
  CHECK(classes[1].occurrences.text() == "1");  // mat
  CHECK(classes[1].recall() == 0.0);
  CHECK(classes[1].precision() == 0.0);
  CHECK(classes[2].occurrences.text() == "2 to 5");  // cat
  CHECK(classes[2].recall() == 1.0);
  CHECK(classes[3].occurrences.text() == "6 to 20");  // dog
  CHECK(classes[3].reference_words == 2);
  CHECK(classes[3].recall() == 0.0);
  CHECK_FALSE(classes[3].precision().has_value());
  CHECK(classes[4].occurrences.text() == "over 100");  // the
  CHECK(classes[4].recall() == 1.0);
  CHECK(classes[4].precision() == 0.5);
}

TEST_CASE("a word counts as often as both sides of a line have it", "[unit]") {
  const std::vector<LineWords> hypotheses = {{U"sat", U"sat", U"sat"}};
  const std::vector<LineWords> references = {{U"sat", U"sat", U"cat", U"cat"}};
  const auto classes = words_by_frequency(hypotheses, references, training);
  REQUIRE(classes.size() == 1);
  CHECK(classes[0].matches == 2);
  CHECK(classes[0].reference_words == 4);
  CHECK(classes[0].hypothesis_words == 3);
  CHECK(classes[0].recall() == 0.5);
}

}  // namespace frequency_breakdown_test
