#include "dragoman/metrics/ter.h"

#include "dragoman/metrics/ter_edits.h"
#include "support/catch.h"

namespace ter_test {

using namespace dragoman;

namespace {

std::u32string joined(std::string_view line, const TerOptions& options) {
  std::u32string out;
  for (const auto& token : ter_tokens(line, options)) out += (out.empty() ? U"" : U" ") + token;
  return out;
}

}  // namespace

TEST_CASE("moving a block of words is one edit", "[unit]") {
  CHECK(translation_edits(U"deabc", U"abcde") == 1);
  CHECK(translation_edits(U"xabc", U"abcde") == 3);
  CHECK(translation_edits(U"abcde", U"abcde") == 0);
}

TEST_CASE("if one side has no words, every word is an edit", "[unit]") {
  CHECK(translation_edits(U"abc", U"") == 3);
  CHECK(translation_edits(U"", U"abc") == 3);
  CHECK(translation_edits(U"", U"") == 0);
}

TEST_CASE("TER divides edits by the mean reference length", "[unit]") {
  const auto score = corpus_ter({"a b c d"}, {{"a b c d e"}, {"x y z"}});
  CHECK(score.edits == 1.0);
  CHECK(score.reference_length == 4.0);
  CHECK(score.score == test::Approx(25.0));
}

TEST_CASE("TER may exceed 100 and is 100 if only the reference is empty", "[unit]") {
  CHECK(corpus_ter({"a b c"}, {{"x"}}).score == test::Approx(300.0));
  CHECK(corpus_ter({"a b c"}, {{""}}).score == 100.0);
  CHECK(corpus_ter({""}, {{""}}).score == 0.0);
}

TEST_CASE("TER ignores case unless told otherwise", "[unit]") {
  CHECK(corpus_ter({"A b"}, {{"a B"}}).score == 0.0);
  const auto strict = corpus_ter({"A b"}, {{"a B"}}, {.case_sensitive = true});
  CHECK(strict.score == test::Approx(100.0));
  CHECK(strict.signature ==
        "nrefs:1|case:mixed|tok:tercom|norm:no|punct:yes|asian:no|version:2.6.0");
}

TEST_CASE("TER's preprocessing sets off or deletes punctuation as configured", "[unit]") {
  CHECK(joined("It's &lt;b&gt;, 3.14.", {}) == U"it's &lt;b&gt;, 3.14.");
  CHECK(joined("It's &lt;b&gt;, 3.14.", {.normalized = true}) == U"it 's < b > , 3.14 .");
  CHECK(joined("Ja, (so)!", {.no_punctuation = true}) == U"ja so");
  CHECK(joined("中文。a", {.normalized = true, .asian_support = true}) == U"中 文 。 a");
  CHECK(joined("中。", {.no_punctuation = true, .asian_support = true}) == U"中");
}

TEST_CASE("references are normalized twice", "[unit]") {
  CHECK(joined("x.,5", {.normalized = true}) == U"x . ,5");
  CHECK(corpus_ter({"x . , 5"}, {{"x.,5"}}, {.normalized = true}).score == 0.0);
}

}  // namespace ter_test
