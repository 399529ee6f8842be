#include "dragoman/experiment/statistics.h"

#include "dragoman/core/error.h"
#include "support/catch.h"

#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace statistics_test {

using namespace dragoman;

TEST_CASE("a sample has the mean and the standard deviation of n - 1", "[unit]") {
  const auto sample = sample_of(std::vector{1.0, 2.0, 6.0});
  CHECK(sample.count == 3);
  CHECK(sample.mean == test::Approx(3.0));
  CHECK(sample.standard_deviation == test::Approx(2.6457513));
  CHECK(sample_of(std::vector{4.0}).standard_deviation == 0.0);
  CHECK(sample_of(std::vector<double>{}).count == 0);
}

TEST_CASE("the error of a mean is the squared spread over the number of values", "[unit]") {
  const auto error = error_of_mean({.count = 4, .mean = 10.0, .standard_deviation = 3.0});
  CHECK(error.variance == test::Approx(2.25));
  CHECK(error.degrees_of_freedom == test::Approx(3.0));
  CHECK_THROWS_AS(error_of_mean({.count = 1, .mean = 10.0}), ContractError);
}

TEST_CASE("errors add up, with the degrees of freedom of Welch and Satterthwaite", "[unit]") {
  const auto equal = sum_of(std::array{ErrorPart{2.0, 4.0}, ErrorPart{2.0, 4.0}});
  CHECK(equal.variance == test::Approx(4.0));
  CHECK(equal.degrees_of_freedom == test::Approx(8.0));
  // 5^2 / (4^2 / 4 + 1^2 / 9)
  CHECK(sum_of(std::array{ErrorPart{4.0, 4.0}, ErrorPart{1.0, 9.0}}).degrees_of_freedom ==
        test::Approx(25.0 / (4.0 + 1.0 / 9.0)));
  CHECK(sum_of(std::array{ErrorPart{4.0, 4.0}, ErrorPart{0.0, 1.0}}).degrees_of_freedom ==
        test::Approx(4.0));
  CHECK(sum_of({}).variance == 0.0);
}

TEST_CASE("the jackknife of a mean over lines is the error of that mean", "[property]") {
  // One line in each group: the delete-one jackknife, which for means is exact.
  std::vector<double> lines;
  for (std::size_t i = 0; i < jackknife_groups; ++i) lines.push_back(std::sin(double(i * i)));
  const auto mean_of = [&](const std::vector<std::size_t>& chosen) {
    double sum = 0.0;
    for (const auto line : chosen) sum += lines[line];
    return sum / static_cast<double>(chosen.size());
  };
  const auto error = jackknife_error(leave_out_groups(lines.size(), mean_of));
  CHECK(error.variance == test::Approx(error_of_mean(sample_of(lines)).variance));
  CHECK(error.degrees_of_freedom == test::Approx(19.0));
}

TEST_CASE("each line is left out once, together with every twentieth", "[unit]") {
  std::vector<std::size_t> left_out(45, 0);
  const auto sizes = leave_out_groups(45, [&](const std::vector<std::size_t>& rest) {
    for (const auto line : rest) ++left_out[line];
    return static_cast<double>(rest.size());
  });
  CHECK(left_out == std::vector<std::size_t>(45, jackknife_groups - 1));
  CHECK(sizes.front() == 42.0);
  CHECK(sizes.back() == 43.0);
  CHECK(leave_out_groups(19, [](const auto&) { return 1.0; }).empty());
}

TEST_CASE(
    "the error of a share of lines is not zero if all are right, and the binomial one for many",
    "[unit]") {
  CHECK(estimated_share(1.0, 36) == test::Approx(0.95));
  CHECK(estimated_share(0.0, 36) == test::Approx(0.05));
  const auto all_right = share_error(1.0, 37);
  CHECK(all_right.variance == test::Approx(39.0 / 41.0 * (2.0 / 41.0) / 41.0));
  CHECK(all_right.degrees_of_freedom == test::Approx(40.0));
  CHECK(share_error(0.0, 37).variance == test::Approx(all_right.variance));
  CHECK(share_error(0.5, 1000000).variance == test::Approx(0.25e-6).epsilon(1e-5));
  CHECK_THROWS_AS(share_error(1.0, 0), ContractError);
}

TEST_CASE("Fisher's exact test counts the ways that are as improbable or more", "[golden]") {
  // Two of the 252 ways in which five of ten training runs can diverge.
  CHECK(fisher_exact({5, 5}, {0, 5}) == test::Approx(2.0 / 252.0));
  CHECK(fisher_exact({0, 5}, {5, 5}) == test::Approx(2.0 / 252.0));
  CHECK(fisher_exact({1, 5}, {0, 5}) == test::Approx(1.0));
  CHECK(fisher_exact({2, 2}, {0, 2}) == test::Approx(2.0 / 6.0));
  CHECK(fisher_exact({4, 5}, {0, 5}) == test::Approx(10.0 / 210.0));
  CHECK(fisher_exact({3, 3}, {4, 4}) == test::Approx(1.0));
  CHECK(fisher_exact({3, 5}, {}) == test::Approx(1.0));
}

TEST_CASE("Student's t matches the printed tables and closed forms", "[golden]") {
  CHECK(student_t(1) == test::Approx(12.7062).epsilon(1e-5));
  CHECK(student_t(2) == test::Approx(4.30265).epsilon(1e-5));
  CHECK(student_t(10) == test::Approx(2.22814).epsilon(1e-5));
  CHECK(student_t(30) == test::Approx(2.04227).epsilon(1e-5));
  CHECK(student_t(1000000) == test::Approx(1.95996).epsilon(1e-5));
  // One degree of freedom is Cauchy's distribution, two have a root.
  for (const double t : {-3.0, -0.1, 0.0, 0.4, 2.0, 50.0}) {
    CHECK(student_t_tail(t, 1.0) == test::Approx(0.5 - std::atan(t) / std::acos(-1.0)));
    CHECK(student_t_tail(t, 2.0) == test::Approx(0.5 - 0.5 * t / std::sqrt(2.0 + t * t)));
  }
  CHECK(student_t_tail(2.0, 4.5) > student_t_tail(2.0, 5.0));
  CHECK(student_t_tail(std::numeric_limits<double>::infinity(), 3.0) == 0.0);
  CHECK_THROWS_AS(student_t(0), ContractError);
}

TEST_CASE("Holm's method multiplies the least probability by the number of them, and so on",
          "[unit]") {
  const auto adjusted = holm({0.03, 0.01, 0.04, 0.6});
  CHECK(adjusted[1] == test::Approx(0.04));
  CHECK(adjusted[0] == test::Approx(0.09));
  CHECK(adjusted[2] == test::Approx(0.09));  // 2 * 0.04, but no less than the one before
  CHECK(adjusted[3] == test::Approx(0.6));
  CHECK(holm({0.7, 0.8}) == std::vector{1.0, 1.0});
  CHECK(holm({}).empty());
}

}  // namespace statistics_test
