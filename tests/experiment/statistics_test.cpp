#include "dragoman/experiment/statistics.h"

#include "dragoman/core/error.h"
#include "support/catch.h"

#include <vector>

namespace statistics_test {

using namespace dragoman;

TEST_CASE("a sample has the mean and the standard deviation of n - 1", "[unit]") {
  const auto sample = sample_of(std::vector{1.0, 2.0, 6.0});
  CHECK(sample.count == 3);
  CHECK(sample.mean == test::Approx(3.0));
  CHECK(sample.spread == test::Approx(2.6457513));
  CHECK(sample_of(std::vector{4.0}).spread == 0.0);
  CHECK(sample_of(std::vector<double>{}).count == 0);
}

TEST_CASE("the pooled spread weights samples by their degrees of freedom", "[unit]") {
  const auto pooled =
      pooled_spread(std::vector<Sample>{{3, 10.0, 1.0}, {2, 20.0, 2.0}, {1, 5.0, 0.0}});
  CHECK(pooled.freedom == 3);
  CHECK(pooled.spread == test::Approx(1.4142136));  // sqrt((2 * 1 + 1 * 4) / 3)
  CHECK(pooled_spread(std::vector<Sample>{{1, 5.0, 0.0}}).freedom == 0);
}

TEST_CASE("Student's t matches the printed tables", "[golden]") {
  CHECK(student_t(1) == test::Approx(12.706));
  CHECK(student_t(10) == test::Approx(2.228));
  CHECK(student_t(11) == test::Approx(2.201).margin(0.001));
  CHECK(student_t(30) == test::Approx(2.042).margin(0.001));
  CHECK(student_t(1000000) == test::Approx(1.96).margin(0.001));
  CHECK_THROWS_AS(student_t(0), ContractError);
}

}  // namespace statistics_test
