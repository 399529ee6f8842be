#include "dragoman/metrics/bleu.h"

#include "dragoman/core/error.h"
#include "support/catch.h"

#include <cmath>

namespace bleu_test {

using namespace dragoman;

TEST_CASE("BLEU of one substitution in eight words is as computed by hand", "[unit]") {
  const auto score = corpus_bleu({"a b c d e f g x"}, {{"a b c d e f g h"}});
  CHECK(score.correct == std::vector<double>{7, 6, 5, 4});
  CHECK(score.total == std::vector<double>{8, 7, 6, 5});
  CHECK(score.brevity_penalty == 1.0);
  CHECK(score.score == test::Approx(100 * std::pow(7.0 / 8 * 6 / 7 * 5 / 6 * 4 / 5, 0.25)));
}

TEST_CASE("a short hypothesis gets the brevity penalty", "[unit]") {
  const auto score = corpus_bleu({"a b c d"}, {{"a b c d e f"}});
  CHECK(score.brevity_penalty == test::Approx(std::exp(1 - 6.0 / 4)));
  CHECK(score.score == test::Approx(100 * std::exp(-0.5)));
  CHECK(score.ratio() == test::Approx(4.0 / 6));
}

TEST_CASE("the nearest reference length counts, the shorter one on ties", "[unit]") {
  CHECK(corpus_bleu({"a b c"}, {{"a b c d e"}, {"a b"}}).reference_length == 2);
  CHECK(corpus_bleu({"a b c"}, {{"a b c d"}, {"a b"}}).reference_length == 2);
}

TEST_CASE("an n-gram counts at most as often as in the reference with most of it", "[unit]") {
  const auto score = corpus_bleu({"the the the"}, {{"the cat"}, {"the the cat"}});
  CHECK(score.correct[0] == 2);
}

TEST_CASE("empty hypotheses score zero without dividing by zero", "[unit]") {
  const auto score = corpus_bleu({"", ""}, {{"a b", "c"}});
  CHECK(score.score == 0.0);
  CHECK(score.brevity_penalty == 0.0);
  CHECK(score.details() == "0.0/0.0/0.0/0.0 (BP = 0.000 ratio = 0.000 hyp_len = 0 ref_len = 3)");
}

TEST_CASE("the smoothing determines the precision of an order without a match", "[unit]") {
  const auto third_precision = [](BleuSmoothing smoothing) {
    return corpus_bleu({"a b x c d"}, {{"a b y c d"}}, {.smoothing = smoothing}).precisions[2];
  };
  CHECK(third_precision(BleuSmoothing::none) == 0.0);
  CHECK(third_precision(BleuSmoothing::exponential) == test::Approx(100.0 / 2 / 3));
  CHECK(third_precision(BleuSmoothing::floor) == test::Approx(100 * 0.1 / 3));
  CHECK(third_precision(BleuSmoothing::add_k) == test::Approx(100.0 / 4));
}

TEST_CASE("effective order skips orders for which the text is too short", "[unit]") {
  CHECK(corpus_bleu({"a b"}, {{"a b"}}).score == 0.0);
  CHECK(corpus_bleu({"a b"}, {{"a b"}}, {.effective_order = true}).score == test::Approx(100.0));
}

TEST_CASE("lower-casing ignores case", "[unit]") {
  CHECK(corpus_bleu({"A B C D"}, {{"a b c d"}}).score == 0.0);
  CHECK(corpus_bleu({"A B C D"}, {{"a b c d"}}, {.lowercase = true}).score == test::Approx(100.0));
}

TEST_CASE("BLEU's signature lists its options", "[unit]") {
  const BleuOptions options{.tokenizer = BleuTokenizer::international,
                            .lowercase = true,
                            .smoothing = BleuSmoothing::floor,
                            .smooth_value = 0.5};
  CHECK(corpus_bleu({"a"}, {{"a"}, {"b"}}, options).signature ==
        "nrefs:2|case:lc|eff:no|tok:intl|smooth:floor[0.50]|version:2.6.0");
}

TEST_CASE("streams of unequal length and empty ones are refused", "[unit]") {
  CHECK_THROWS_WITH(corpus_bleu({"a", "b"}, {{"a"}}),
                    test::contains("2 hypotheses against 1 references"));
  CHECK_THROWS_AS(corpus_bleu({}, {{}}), DataError);
  CHECK_THROWS_AS(corpus_bleu({"a"}, {}), DataError);
}

TEST_CASE("a line without any reference is refused by its number", "[unit]") {
  const std::vector<ReferenceStream> references = {{"a", std::nullopt}};
  CHECK_THROWS_WITH(collect_statistics(Bleu(), {"a", "b"}, references),
                    test::contains("line 2 has no reference"));
}

TEST_CASE("BLEU's options are checked", "[unit]") {
  CHECK_THROWS_AS(Bleu({.max_order = 0}), OptionsError);
  CHECK_THROWS_AS(Bleu({.smooth_value = -1.0}), OptionsError);
  CHECK_THROWS_AS(Bleu({.smooth_value = 1e308}), OptionsError);
  CHECK_THROWS_WITH(smoothing_named("laplace"), test::contains("exp, floor, add-k, none"));
}

}  // namespace bleu_test
