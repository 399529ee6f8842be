#include "dragoman/analysis/scale_experiment.h"

#include "support/catch.h"

#include <cmath>

namespace scale_experiment_test {

using namespace dragoman;

TEST_CASE("the variance of a score is d_k, and 1 after scaling", "[property]") {
  double unscaled_before = 1.0, scaled_first = 0.0;
  for (const std::int64_t d_k : {4, 64, 512}) {
    CAPTURE(d_k);
    const auto facts = sample_scale({.d_k = d_k});
    const auto width = static_cast<double>(d_k);
    CHECK(facts.standard_error == test::Approx(std::sqrt((2.0 + 6.0 / width) / 102400.0)));
    CHECK(std::abs(facts.variance / width - 1.0) < 5 * facts.standard_error);
    CHECK(std::abs(facts.scaled_variance - 1.0) < 5 * facts.standard_error);
    // The gradient of the softmax vanishes as d_k grows, unless scores are scaled.
    CHECK(facts.jacobian < unscaled_before);
    unscaled_before = facts.jacobian;
    if (scaled_first == 0.0) scaled_first = facts.scaled_jacobian;
    CHECK(facts.scaled_jacobian == test::Approx(scaled_first).epsilon(0.05));
  }
}

TEST_CASE("the same seed samples the same scores", "[unit]") {
  CHECK(sample_scale({.d_k = 4, .pairs = 1600}).variance ==
        sample_scale({.d_k = 4, .pairs = 1600}).variance);
  CHECK(sample_scale({.d_k = 4, .pairs = 1600}).variance !=
        sample_scale({.d_k = 4, .pairs = 1600, .seed = 2}).variance);
}

}  // namespace scale_experiment_test
