#include "dragoman/metrics/scoring.h"

#include "dragoman/core/error.h"
#include "support/catch.h"

#include <algorithm>

namespace scoring_test {

using namespace dragoman;

namespace {

const std::vector<std::string> hypotheses = {"the cat sat on the mat", "a dog runs in the park"};
const std::vector<ReferenceStream> references = {{"the cat sat on a mat", "a dog ran in the park"}};

}  // namespace

TEST_CASE("metrics are reported in the requested order", "[unit]") {
  const auto results =
      score_corpus(hypotheses, references, {.metrics = {"ter", "chrf++", "bleu", "chrf"}});
  std::vector<std::string> names;
  for (const auto& result : results) names.push_back(result.report.name);
  CHECK(names == std::vector<std::string>{"TER", "chrF2++", "BLEU", "chrF2"});
}

TEST_CASE("resampling appears in the signature only if it was done", "[unit]") {
  ScoringOptions options{.metrics = {"bleu"}, .resampling = {.samples = 20, .trials = 30}};
  const auto head = [&](const std::optional<std::vector<std::string>>& baseline = {}) {
    const auto text =
        score_corpus(hypotheses, references, options, baseline).front().report.signature;
    return text.substr(0, text.find("|case"));
  };
  CHECK(head() == "nrefs:1");
  CHECK(head(hypotheses) == "nrefs:1|bs:20|seed:12345");
  options.paired = PairedTest::randomization;
  CHECK(head(hypotheses) == "nrefs:1|ar:30|seed:12345");
  options.confidence = true;
  CHECK(head() == "nrefs:1|bs:20|seed:12345");
  CHECK(head(hypotheses) == "nrefs:1|bs:20|ar:30|seed:12345");
}

TEST_CASE("a comparison reports the baseline's score", "[unit]") {
  const std::vector<std::string> baseline = {"the cat", "a dog"};
  const auto result = score_corpus(hypotheses, references, {.metrics = {"ter"}}, baseline).front();
  REQUIRE(result.against.has_value());
  CHECK(result.against->score == test::Approx(100.0 * 8 / 12));
  CHECK(result.report.score == test::Approx(100.0 * 2 / 12));
}

TEST_CASE("an unknown metric is refused with the known ones", "[unit]") {
  CHECK_THROWS_WITH(score_corpus(hypotheses, references, {.metrics = {"rouge"}}),
                    test::contains("known: bleu, chrf, chrf++, ter"));
  CHECK_THROWS_AS(score_corpus(hypotheses, references, {.metrics = {}}), OptionsError);
}

TEST_CASE("text looks tokenized if half its lines, or 100, end in a space and a full stop",
          "[unit]") {
  CHECK(looks_tokenized({"a .", "b"}));
  CHECK_FALSE(looks_tokenized({"a .", "b.", "c."}));
  CHECK_FALSE(looks_tokenized({}));
  std::vector<std::string> lines(1000, "a.");
  std::fill_n(lines.begin(), 99, "a .");
  CHECK_FALSE(looks_tokenized(lines));
  lines.back() = "a .";
  CHECK(looks_tokenized(lines));
}

}  // namespace scoring_test
