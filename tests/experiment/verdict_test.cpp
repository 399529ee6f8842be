#include "dragoman/experiment/verdict.h"

#include "experiment/synthetic_result.h"
#include "support/catch.h"

#include <array>
#include <cmath>

namespace verdict_test {

using namespace dragoman;

namespace {

Claim claim_of(Expectation expect, double margin = 0.0) {
  return {.says = "a against b",
          .measure = "bleu",
          .margin = margin,
          .compare = {{.of = "a", .expect = expect, .than = "b"}}};
}

/// Two seeds each, a spread of 0.1414 in both: Welch's error has two degrees of freedom, and
/// t(2) sqrt(s^2 / 2 + s^2 / 2) = 4.303 * 0.1414 = 0.6085.
ExperimentResult two_variants(double a, double b) {
  return test::synthetic_result({{"a", {a - 0.1, a + 0.1}}, {"b", {b - 0.1, b + 0.1}}});
}

Judgement judged(const Claim& claim, ExperimentResult result) {
  result.experiment.claims = {claim};
  return judge(result).front();
}

Verdict verdict_of(const Claim& claim, const ExperimentResult& result) {
  return judged(claim, result).verdict;
}

}  // namespace

TEST_CASE("the noise of a difference is Student's t times its standard error", "[unit]") {
  const auto judgement = judged(claim_of(Expectation::higher), two_variants(21.0, 20.0));
  REQUIRE(judgement.findings.size() == 1);
  CHECK(judgement.findings[0].difference == test::Approx(1.0));
  CHECK(judgement.findings[0].noise == test::Approx(4.30265 * 0.1414214));
  // t = 1 / 0.1414 with two degrees of freedom, on both sides.
  CHECK(judgement.findings[0].probability == test::Approx(1.0 - 7.0710678 / std::sqrt(52.0)));
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

TEST_CASE("each variant has its own spread", "[unit]") {
  const auto result =
      test::synthetic_result({{"a", {21.0, 21.0}}, {"b", {19.0, 21.0}}, {"c", {9.0, 99.0}}});
  const auto judgement = judged(claim_of(Expectation::higher), result);
  // Only b's two seeds spread: t(1) sqrt(2 / 2).
  CHECK(judgement.findings[0].noise == test::Approx(12.7062).epsilon(1e-5));
}

TEST_CASE("a difference counts if it exceeds the claim's margin", "[unit]") {
  CHECK(verdict_of(claim_of(Expectation::higher, 0.3), two_variants(21.0, 20.0)) ==
        Verdict::confirmed);
  CHECK(verdict_of(claim_of(Expectation::higher, 0.9), two_variants(21.0, 20.0)) ==
        Verdict::within_noise);
  CHECK(verdict_of(claim_of(Expectation::higher, 2.0), two_variants(21.0, 20.0)) ==
        Verdict::not_confirmed);
  CHECK(verdict_of(claim_of(Expectation::lower, 0.3), two_variants(20.0, 21.0)) ==
        Verdict::confirmed);
}

TEST_CASE("the choice of test lines has its share in the noise of a difference", "[unit]") {
  auto result = two_variants(21.0, 20.0);
  const auto give = [&](std::size_t first, double more) {
    for (std::size_t i = first; i < first + 2; ++i) {
      auto& left_out = result.trials[i].record.left_out["bleu"];
      for (std::size_t group = 0; group < jackknife_groups; ++group)
        left_out.push_back(20.0 + static_cast<double>(group) + (group % 2 == 0 ? more : -more));
    }
  };
  give(0, 0.0);
  CHECK(judged(claim_of(Expectation::higher), result).findings[0].noise ==
        test::Approx(4.30265 * 0.1414214));  // the other variant has none
  give(2, 0.0);
  CHECK(judged(claim_of(Expectation::higher), result).findings[0].noise ==
        test::Approx(4.30265 * 0.1414214));  // the same lines are hard for both
  result.trials[2].record.left_out.clear();
  result.trials[3].record.left_out.clear();
  give(2, 0.05);
  const auto error =
      sum_of(std::array{ErrorPart{0.01, 1.0}, ErrorPart{0.01, 1.0},
                        ErrorPart{0.05 * 0.05 * 20.0 / 19.0 * 19.0 * 19.0 / 20.0, 19.0}});
  CHECK(judged(claim_of(Expectation::higher), result).findings[0].noise ==
        test::Approx(student_t(error.freedom) * std::sqrt(error.variance)));
}

TEST_CASE("the more differences a table has, the clearer each must be", "[unit]") {
  auto result = two_variants(20.8, 20.0);
  const auto claim = claim_of(Expectation::higher);
  CHECK(verdict_of(claim, result) == Verdict::confirmed);
  result.experiment.claims = {claim, claim};
  const auto both = judge(result);
  REQUIRE(both.size() == 2);
  CHECK(both[0].verdict == Verdict::within_noise);
  CHECK(both[0].findings[0].probability ==
        test::Approx(2.0 * judged(claim, result).findings[0].probability));
}

TEST_CASE("a table without a second seed of a variant yields no verdict", "[unit]") {
  CHECK(verdict_of(claim_of(Expectation::higher),
                   test::synthetic_result({{"a", {30.0}}, {"b", {20.0, 20.1}}})) ==
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
    return judged(claim, two_variants(21.0, 20.0));
  };
  const auto above = against(Expectation::higher, 19.0);
  CHECK(above.verdict == Verdict::confirmed);
  CHECK(above.findings[0].difference == test::Approx(2.0));
  CHECK(above.findings[0].noise == test::Approx(12.7062 * 0.1).epsilon(1e-5));
  CHECK(against(Expectation::higher, 20.9).verdict == Verdict::within_noise);
  CHECK(against(Expectation::higher, 23.0).verdict == Verdict::not_confirmed);
  CHECK(against(Expectation::lower, 23.0).verdict == Verdict::confirmed);
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
