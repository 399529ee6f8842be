#include "dragoman/experiment/verdict.h"

#include "experiment/synthetic_result.h"
#include "support/catch.h"

namespace verdict_test {

using namespace dragoman;

namespace {

Claim claim_of(Expectation expect, double margin = 0.0) {
  return {.says = "a against b",
          .measure = "bleu",
          .margin = margin,
          .compare = {{.of = "a", .expect = expect, .than = "b"}}};
}

/// Two seeds each, a spread of 0.1414 in both: t(2) s sqrt(1/2 + 1/2) = 4.303 * 0.1414 = 0.6085.
ExperimentResult two_variants(double a, double b) {
  return test::synthetic_result({{"a", {a - 0.1, a + 0.1}}, {"b", {b - 0.1, b + 0.1}}});
}

Verdict verdict_of(const Claim& claim, const ExperimentResult& result) {
  return judge(claim, result).verdict;
}

}  // namespace

TEST_CASE("the noise of a difference is Student's t times its standard error", "[unit]") {
  const auto judgement = judge(claim_of(Expectation::higher), two_variants(21.0, 20.0));
  REQUIRE(judgement.findings.size() == 1);
  CHECK(judgement.findings[0].difference == test::Approx(1.0));
  CHECK(judgement.findings[0].noise == test::Approx(4.303 * 0.1414214));
}

TEST_CASE("a difference beyond the noise is confirmed, or not confirmed in the other direction",
          "[unit]") {
  const auto result = two_variants(21.0, 20.0);
  CHECK(verdict_of(claim_of(Expectation::higher), result) == Verdict::confirmed);
  CHECK(verdict_of(claim_of(Expectation::lower), result) == Verdict::not_confirmed);
}

TEST_CASE("a difference smaller than the noise is within noise either way", "[unit]") {
  const auto result = two_variants(20.5, 20.0);
  CHECK(verdict_of(claim_of(Expectation::higher), result) == Verdict::within_noise);
  CHECK(verdict_of(claim_of(Expectation::lower), result) == Verdict::within_noise);
}

TEST_CASE("variants are similar if the interval is within the margin", "[unit]") {
  CHECK(verdict_of(claim_of(Expectation::similar, 1.0), two_variants(20.2, 20.0)) ==
        Verdict::confirmed);
  CHECK(verdict_of(claim_of(Expectation::similar, 1.0), two_variants(20.0, 20.2)) ==
        Verdict::confirmed);
  CHECK(verdict_of(claim_of(Expectation::similar, 1.0), two_variants(20.9, 20.0)) ==
        Verdict::within_noise);
  CHECK(verdict_of(claim_of(Expectation::similar, 1.0), two_variants(22.0, 20.0)) ==
        Verdict::not_confirmed);
}

TEST_CASE("the spread is pooled over all variants of the table, for one seed too", "[unit]") {
  auto result =
      test::synthetic_result({{"a", {21.0}}, {"b", {20.0}}, {"c", {9.9, 10.1}}, {"d", {5.0, 5.2}}});
  const auto judgement = judge(claim_of(Expectation::higher), result);
  CHECK(judgement.findings[0].noise == test::Approx(4.303 * 0.1414214 * 1.4142136));
  CHECK(judgement.verdict == Verdict::confirmed);
}

TEST_CASE("a table without a second seed, or without a variant's training, yields no verdict",
          "[unit]") {
  CHECK(verdict_of(claim_of(Expectation::higher),
                   test::synthetic_result({{"a", {30.0}}, {"b", {20.0}}})) ==
        Verdict::not_measured);
  CHECK(verdict_of(claim_of(Expectation::higher),
                   test::synthetic_result({{"a", {}}, {"b", {20.0, 20.1}}})) ==
        Verdict::not_measured);
}

TEST_CASE("a variant is compared with a number, which has no noise of its own", "[unit]") {
  const auto against = [](Expectation expect, double value) {
    Claim claim = claim_of(expect);
    claim.compare[0].than.clear();
    claim.compare[0].value = value;
    return judge(claim, two_variants(21.0, 20.0));
  };
  const auto above = against(Expectation::higher, 20.5);
  CHECK(above.verdict == Verdict::confirmed);
  CHECK(above.findings[0].difference == test::Approx(0.5));
  CHECK(above.findings[0].noise == test::Approx(4.303 * 0.1414214 / 1.4142136));
  CHECK(against(Expectation::higher, 20.9).verdict == Verdict::within_noise);
  CHECK(against(Expectation::higher, 22.0).verdict == Verdict::not_confirmed);
  CHECK(against(Expectation::lower, 22.0).verdict == Verdict::confirmed);
}

TEST_CASE("a diverged variant is worse than any other, whichever direction is better", "[unit]") {
  auto result = two_variants(21.0, 20.0);
  result.trials[2].record = {.failure = "no finite loss"};
  CHECK(verdict_of(claim_of(Expectation::higher), result) == Verdict::confirmed);
  CHECK(verdict_of(claim_of(Expectation::lower), result) == Verdict::not_confirmed);
  CHECK(verdict_of(claim_of(Expectation::similar, 9.0), result) == Verdict::not_confirmed);
  auto loss = claim_of(Expectation::higher);
  loss.measure = "valid_nll";
  CHECK(verdict_of(loss, result) == Verdict::not_confirmed);
  result.trials[0].record = {.failure = "neither here"};
  CHECK(verdict_of(loss, result) == Verdict::within_noise);
}

TEST_CASE("counts without spread either differ or are equal", "[unit]") {
  const auto more = test::synthetic_result({{"a", {3, 3}}, {"b", {2, 2}}});
  const auto same = test::synthetic_result({{"a", {2, 2}}, {"b", {2, 2}}});
  CHECK(verdict_of(claim_of(Expectation::higher), more) == Verdict::confirmed);
  CHECK(verdict_of(claim_of(Expectation::higher), same) == Verdict::not_confirmed);
  CHECK(verdict_of(claim_of(Expectation::similar), same) == Verdict::confirmed);
}

TEST_CASE("a claim is confirmed only with all its differences, and refuted by one", "[unit]") {
  auto claim = claim_of(Expectation::higher);
  claim.compare.push_back({.of = "a", .expect = Expectation::higher, .than = "c"});
  const auto result = [](double c) {
    return test::synthetic_result(
        {{"a", {20.9, 21.1}}, {"b", {19.9, 20.1}}, {"c", {c - 0.1, c + 0.1}}});
  };
  CHECK(verdict_of(claim, result(19.0)) == Verdict::confirmed);
  CHECK(verdict_of(claim, result(20.9)) == Verdict::within_noise);
  CHECK(verdict_of(claim, result(25.0)) == Verdict::not_confirmed);
}

}  // namespace verdict_test
