#include "dragoman/metrics/length_breakdown.h"

#include "dragoman/core/error.h"
#include "dragoman/metrics/chrf.h"
#include "support/catch.h"

namespace length_breakdown_test {

using namespace dragoman;

namespace {

/// Five words with the full stop, six, one, and six.
const std::vector<std::string> sources = {"a b c d.", "a b c d e.", "a", "f g h i j!"};
const std::vector<std::string> hypotheses = {"one two three four", "five six seven eight nine",
                                             "ten", "one two three"};
const std::vector<std::string> references = {"one two three four", "five six seven eight",
                                             "ten eleven", "one two three four five six"};

}  // namespace

TEST_CASE("lines are classed by their sources' words, punctuation marks included", "[unit]") {
  const auto classes = scores_by_length(sources, hypotheses, references);
  REQUIRE(classes.size() == 2);
  CHECK(classes[0].words == CountRange{.from = 1, .to = 5});
  CHECK(classes[0].lines == 2);
  CHECK(classes[0].length_ratio == test::Approx(5.0 / 6.0));
  CHECK(classes[1].words == CountRange{.from = 6, .to = 10});
  CHECK(classes[1].lines == 2);
  CHECK(classes[1].length_ratio == test::Approx(8.0 / 10.0));
}

TEST_CASE("the scores of a class are those of a text of its lines", "[unit]") {
  const auto classes = scores_by_length(sources, hypotheses, references);
  const std::vector<std::string> ours = {hypotheses[1], hypotheses[3]};
  const std::vector<std::string> theirs = {references[1], references[3]};
  REQUIRE(classes.size() == 2);
  CHECK(classes[1].bleu == corpus_bleu(ours, {theirs}).score);
  CHECK(classes[1].chrf == corpus_chrf(ours, {theirs}).score);
}

TEST_CASE("long sources have classes of their own, as far as there are any", "[unit]") {
  std::string long_line;
  for (int i = 0; i < 161; ++i) long_line += "w ";
  const auto classes =
      scores_by_length(std::vector<std::string>{"", long_line}, {"a b c d", "a"}, {"a b c d", "b"});
  REQUIRE(classes.size() == 2);
  CHECK(classes[0].words.text() == "0");
  CHECK(classes[0].bleu == test::Approx(100.0));
  CHECK(classes[1].words.text() == "over 160");
  CHECK(classes[1].chrf == 0.0);
}

TEST_CASE("texts of different lengths are refused", "[unit]") {
  CHECK_THROWS_AS(scores_by_length(sources, {"a"}, references), DataError);
}

}  // namespace length_breakdown_test
