#include "dragoman/experiment/verdict.h"

#include "dragoman/experiment/report_tables.h"
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
  CHECK(judgement.findings[0].half_width == test::Approx(4.30265 * 0.1414214));
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
  CHECK(judgement.findings[0].half_width == test::Approx(12.7062).epsilon(1e-5));
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
      auto& replicates = result.trials[i].record.jackknife["bleu"];
      replicates.clear();
      for (std::size_t group = 0; group < jackknife_groups; ++group)
        replicates.push_back(20.0 + static_cast<double>(group) + (group % 2 == 0 ? more : -more));
    }
  };
  give(0, 0.0);
  give(2, 0.0);
  CHECK(judged(claim_of(Expectation::higher), result).findings[0].half_width ==
        test::Approx(4.30265 * 0.1414214));  // the same lines are hard for both
  give(2, 0.2);
  const auto error =
      sum_of(std::array{ErrorPart{0.01, 1.0}, ErrorPart{0.01, 1.0},
                        ErrorPart{0.2 * 0.2 * 20.0 / 19.0 * 19.0 * 19.0 / 20.0, 19.0}});
  CHECK(judged(claim_of(Expectation::higher), result).findings[0].half_width ==
        test::Approx(student_t(error.degrees_of_freedom) * std::sqrt(error.variance)));
}

TEST_CASE("the choice of test lines never makes a difference surer", "[unit]") {
  auto result = two_variants(21.0, 20.0);
  const auto of_seeds = judged(claim_of(Expectation::higher), result).findings[0];
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t group = 0; group < jackknife_groups; ++group)
      result.trials[i].record.jackknife["bleu"].push_back(
          i < 2 && group % 2 == 0 ? 20.0 + 0.1 : 20.0);  // many degrees of freedom
  const auto of_both = judged(claim_of(Expectation::higher), result).findings[0];
  CHECK(of_both.half_width == test::Approx(of_seeds.half_width));
  CHECK(of_both.probability == test::Approx(of_seeds.probability));
}

TEST_CASE("training runs with and without the test text's error are not compared", "[unit]") {
  auto result = two_variants(21.0, 20.0);
  const std::vector<double> replicates(jackknife_groups, 20.0);
  const auto finding = [&] { return judged(claim_of(Expectation::higher), result).findings[0]; };
  result.trials[0].record.jackknife["bleu"] = replicates;
  CHECK(finding().verdict == Verdict::not_measured);  // of one seed alone
  CHECK_THAT(finding().reason, test::contains("measured without the test text's error"));
  result.trials[1].record.jackknife["bleu"] = replicates;
  CHECK(finding().verdict == Verdict::not_measured);  // of one variant alone
  CHECK_THAT(finding().reason, test::contains("measured without the test text's error"));
  for (auto& trial : result.trials) trial.record.jackknife["bleu"] = replicates;
  CHECK(finding().verdict == Verdict::confirmed);
  for (auto& trial : result.trials) trial.record.jackknife["bleu"].clear();
  CHECK(finding().verdict == Verdict::not_measured);
  CHECK(finding().reason == "fewer than 20 test lines");
}

TEST_CASE("all test lines right is no certainty: their number counts", "[unit]") {
  const auto against_95_percent = [](std::int64_t lines) {
    auto result = test::synthetic_result({{"a", {1.0, 1.0}}});
    for (auto& trial : result.trials) {
      trial.record.values = {{"answers_longest", 1.0}};
      trial.record.answers = {{8, 1000, 1.0}, {64, lines, 1.0}};
    }
    Claim claim = claim_of(Expectation::higher);
    claim.measure = "answers_longest";
    claim.compare[0].than.clear();
    claim.compare[0].value = 0.95;
    return judged(claim, result).findings[0];
  };
  const auto of_37 = against_95_percent(37);
  CHECK(of_37.verdict == Verdict::within_noise);
  CHECK(of_37.half_width ==
        test::Approx(student_t(40.0) * std::sqrt(share_error(1.0, 37).variance)));
  CHECK(against_95_percent(100).verdict == Verdict::confirmed);
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
  CHECK(above.findings[0].half_width == test::Approx(12.7062 * 0.1).epsilon(1e-5));
  CHECK(against(Expectation::higher, 20.9).verdict == Verdict::within_noise);
  CHECK(against(Expectation::higher, 23.0).verdict == Verdict::not_confirmed);
  CHECK(against(Expectation::lower, 23.0).verdict == Verdict::confirmed);
}

namespace {

/// Five training runs each, of which the first so many have diverged.
ExperimentResult diverged(std::size_t of_a, std::size_t of_b) {
  auto result = test::synthetic_result(
      {{"a", {20.0, 20.1, 20.2, 20.3, 20.4}}, {"b", {20.0, 20.1, 20.2, 20.3, 20.4}}});
  for (std::size_t i = 0; i < of_a; ++i) result.trials[i].record = {.failure = "no finite loss"};
  for (std::size_t i = 0; i < of_b; ++i)
    result.trials[5 + i].record = {.failure = "no finite loss"};
  return result;
}

}  // namespace

TEST_CASE("a variant of which all training runs diverge is worse than one of which none does",
          "[unit]") {
  const auto result = diverged(0, 5);
  const auto finding = judged(claim_of(Expectation::higher), result).findings[0];
  CHECK(finding.verdict == Verdict::confirmed);
  CHECK(finding.probability == test::Approx(2.0 / 252.0));
  CHECK(verdict_of(claim_of(Expectation::lower), result) == Verdict::not_confirmed);
  CHECK(verdict_of(claim_of(Expectation::similar, 9.0), result) == Verdict::not_confirmed);
  auto loss = claim_of(Expectation::higher);
  loss.measure = "valid_nll";
  CHECK(verdict_of(loss, result) == Verdict::not_confirmed);
  CHECK(verdict_of(loss, diverged(5, 0)) == Verdict::confirmed);
}

TEST_CASE("one diverged training of five decides nothing", "[unit]") {
  for (const auto expect : {Expectation::higher, Expectation::lower, Expectation::similar}) {
    CHECK(verdict_of(claim_of(expect, 9.0), diverged(0, 1)) == Verdict::within_noise);
    CHECK(verdict_of(claim_of(expect, 9.0), diverged(1, 1)) == Verdict::within_noise);
  }
}

TEST_CASE("the probability of a divergence is adjusted for the number of differences", "[unit]") {
  auto result = diverged(0, 5);
  const auto claim = claim_of(Expectation::higher);
  result.experiment.claims = std::vector(7, claim);
  const auto judgement = judge(result).front();
  CHECK(judgement.findings[0].probability == test::Approx(7.0 * 2.0 / 252.0));
  CHECK(judgement.verdict == Verdict::within_noise);
}

TEST_CASE("what diverged has no value to compare with a number", "[unit]") {
  Claim claim = claim_of(Expectation::higher);
  claim.compare[0].than.clear();
  claim.compare[0].value = 1.0;
  const auto finding = judged(claim, diverged(1, 0)).findings[0];
  CHECK(finding.verdict == Verdict::not_measured);
  CHECK_THAT(finding.reason, test::contains("diverged"));
}

TEST_CASE("of a cost the finished training runs are compared, whatever diverged", "[unit]") {
  auto result = diverged(1, 0);
  for (auto& trial : result.trials)
    if (trial.record.failure.empty()) {
      trial.record.values["update_cpu_ms"] =
          (trial.variant == "a" ? 10.0 : 30.0) + static_cast<double>(trial.seed);
      trial.record.device = "cpu: 2 cores, AVX2";
    }
  auto claim = claim_of(Expectation::lower);
  claim.measure = "update_cpu_ms";
  const auto finding = judged(claim, result).findings[0];
  CHECK(finding.verdict == Verdict::confirmed);
  CHECK(finding.difference == test::Approx(13.5 - 33.0));
  CHECK(finding.of.diverged == 1);
  for (const char* other : {"cpu: 2 cores, AVX512", "cpu", ""}) {
    result.trials.back().record.device = other;
    const auto timed_apart = judged(claim, result).findings[0];
    CHECK(timed_apart.verdict == Verdict::not_measured);
    CHECK_THAT(timed_apart.reason, test::contains("several machines"));
  }
}

TEST_CASE("times of several or unknown machines are no value of a variant", "[unit]") {
  auto result = test::synthetic_result({{"a", {1.0, 2.0}}, {"b", {3.0, 4.0}}, {"c", {5.0, 6.0}}});
  for (auto& trial : result.trials) {
    trial.record.values["update_cpu_ms"] = 7.0;
    trial.record.device = "cpu: 2 cores, AVX2";
  }
  const auto timed = [&](const char* variant) {
    return result.shown_sample(variant, "update_cpu_ms").count;
  };
  result.experiment.columns = {"bleu", "update_cpu_ms"};
  CHECK(timed("a") + timed("b") + timed("c") == 6);
  CHECK(variants_table(result).caption == "Mean ± standard deviation over seeds");

  result.trials[2].record.device = "cpu";
  for (const std::size_t i : {4, 5}) result.trials[i].record.device = "cpu: 2 cores, AVX512";
  CHECK(timed("a") == 2);
  CHECK(timed("b") == 0);
  CHECK(timed("c") == 0);
  CHECK(result.shown_sample("b", "bleu").count == 2);
  CHECK(result.sample("c", "update_cpu_ms").count == 2);
  const auto table = variants_table(result);
  CHECK(table.rows[1] == std::vector<std::string>{"b", "2", "3.50 ± 0.71", "–"});
  CHECK_THAT(table.caption, test::contains("; – for times of several"));
  for (auto& trial : result.trials) trial.record.device = "cpu";
  CHECK(variants_table(result).headings == std::vector<std::string>{"variant", "seeds", "BLEU"});
  CHECK(variants_table(result).caption == "Mean ± standard deviation over seeds");
}

TEST_CASE("counts without an error either differ or are equal, other measures show nothing",
          "[unit]") {
  const auto of_both = [](const char* measure, double a, double b) {
    auto result = test::synthetic_result({{"a", {a, a}}, {"b", {b, b}}});
    for (auto& trial : result.trials)
      trial.record.values = {{measure, trial.record.values.at("bleu")}};
    return result;
  };
  const auto verdict_on = [](const char* measure, Expectation expect,
                             const ExperimentResult& result) {
    auto claim = claim_of(expect);
    claim.measure = measure;
    return verdict_of(claim, result);
  };
  const auto more = of_both("parameters", 3, 2), same = of_both("parameters", 2, 2);
  CHECK(verdict_on("parameters", Expectation::higher, more) == Verdict::confirmed);
  CHECK(verdict_on("parameters", Expectation::higher, same) == Verdict::not_confirmed);
  CHECK(verdict_on("parameters", Expectation::similar, same) == Verdict::confirmed);
  CHECK(verdict_on("bleu", Expectation::higher, of_both("bleu", 3, 2)) == Verdict::within_noise);
  // Nor do equal scores of all seeds, whatever the test text's error is.
  auto scored = test::synthetic_result({{"a", {21.0, 21.0}}, {"b", {20.0, 20.0}}});
  for (auto& trial : scored.trials) trial.record.jackknife["bleu"].assign(jackknife_groups, 20.0);
  scored.trials[0].record.jackknife["bleu"][0] = 20.1;
  CHECK(judged(claim_of(Expectation::higher), scored).findings[0].probability == 1.0);
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
  const auto without_c = [](double b) {
    return test::synthetic_result({{"a", {20.9, 21.1}}, {"b", {b - 0.1, b + 0.1}}, {"c", {}}});
  };
  CHECK(verdict_of(claim, without_c(20.0)) == Verdict::not_measured);
  CHECK(verdict_of(claim, without_c(25.0)) == Verdict::not_confirmed);
}

}  // namespace verdict_test
