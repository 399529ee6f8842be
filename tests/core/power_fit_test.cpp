#include "dragoman/core/power_fit.h"

#include "support/catch.h"

namespace power_fit_test {

using namespace dragoman;

TEST_CASE("the exponent of a power is found, whatever its factor", "[unit]") {
  CHECK(*fitted_exponent({{1, 3}, {2, 12}, {4, 48}}) == test::Approx(2.0));
  CHECK(*fitted_exponent({{10, 7}, {1000, 7}}) == test::Approx(0.0).margin(1e-12));
  CHECK_FALSE(fitted_exponent({{1, 1}}).has_value());
}

TEST_CASE("a ratio rises through 1 between the points around it", "[unit]") {
  CHECK(*rises_through_one({{100, 0.1}, {1000, 1.0}, {10000, 10.0}}) == test::Approx(1000.0));
  CHECK(*rises_through_one({{100, 0.5}, {400, 2.0}}) == test::Approx(200.0));
  CHECK_FALSE(rises_through_one({{100, 0.5}, {400, 0.7}}).has_value());
  CHECK_FALSE(rises_through_one({{100, 1.5}, {400, 2.0}}).has_value());
}

}  // namespace power_fit_test
