#include "dragoman/metrics/chrf.h"

#include "dragoman/core/error.h"
#include "support/catch.h"

namespace chrf_test {

using namespace dragoman;

TEST_CASE("chrF of one wrong letter is as computed by hand", "[unit]") {
  // Matches of "abcd" in "abce": 3 of 4 letters, 2 of 3 pairs; precision equals recall.
  const auto score = corpus_chrf({"abcd"}, {{"abce"}}, {.character_order = 2});
  CHECK(score.score == test::Approx(100 * (3.0 / 4 + 2.0 / 3) / 2));
}

TEST_CASE("chrF weights recall by beta squared", "[unit]") {
  // Letters only: precision 1, recall 1/2.
  const auto score = corpus_chrf({"ab"}, {{"abcd"}}, {.character_order = 1, .beta = 3});
  CHECK(score.score == test::Approx(100 * 10 * 0.5 / (9 * 1 + 0.5)));
  CHECK(score.name == "chrF3");
}

TEST_CASE("chrF ignores whitespace unless told to count it", "[unit]") {
  CHECK(corpus_chrf({"a b"}, {{"ab"}}).score == test::Approx(100.0));
  CHECK(corpus_chrf({"a b"}, {{"ab"}}, {.white_space = true}).score < 99.0);
}

TEST_CASE("chrF++ counts words with one punctuation mark split off", "[unit]") {
  const ChrfOptions words{.character_order = 0, .word_order = 1};
  CHECK(corpus_chrf({"house."}, {{"house !"}}, words).score == test::Approx(50.0));
  CHECK(corpus_chrf({"(hi)"}, {{"hi)"}}, words).score == test::Approx(50.0));
  CHECK(corpus_chrf({"x"}, {{"x"}}, {.word_order = 2}).name == "chrF2++");
}

TEST_CASE("with several references the best one of each line counts", "[unit]") {
  const auto score = corpus_chrf({"abcd", "efgh"}, {{"abcd", "xxxx"}, {"xxxx", "efgh"}});
  CHECK(score.score == test::Approx(100.0));
  CHECK(score.signature == "nrefs:2|case:mixed|eff:yes|nc:6|nw:0|space:no|version:2.6.0");
}

TEST_CASE("empty lines score zero", "[unit]") {
  CHECK(corpus_chrf({""}, {{"abc"}}).score == 0.0);
  CHECK(corpus_chrf({""}, {{""}}).score == 0.0);
}

TEST_CASE("chrF's options are checked", "[unit]") {
  CHECK_THROWS_AS(Chrf({.character_order = 0}), OptionsError);
  CHECK_THROWS_AS(Chrf({.beta = 0}), OptionsError);
}

}  // namespace chrf_test
