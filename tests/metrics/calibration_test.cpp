#include "dragoman/metrics/calibration.h"

#include "dragoman/core/error.h"
#include "support/catch.h"

namespace calibration_test {

using namespace dragoman;

namespace {

/// Ten predictions, worked by hand. Two bins of a half: below, 0.2 wrong, 0.4 right, 0.3 wrong,
/// 0.3 wrong (mean 0.3, a quarter right); above, 0.9 right four times, 0.6 wrong twice (mean 0.8,
/// two thirds right). The error is 0.4 * 0.05 + 0.6 * (0.8 - 2 / 3) = 0.1.
Calibration worked_example() {
  Calibration calibration(2);
  for (const auto& [confidence, right] : {std::pair{0.2, false},
                                          {0.4, true},
                                          {0.3, false},
                                          {0.3, false},
                                          {0.9, true},
                                          {0.9, true},
                                          {0.9, true},
                                          {0.9, true},
                                          {0.6, false},
                                          {0.6, false}})
    calibration.add(confidence, right);
  return calibration;
}

}  // namespace

TEST_CASE("the expected calibration error is that worked by hand", "[unit]") {
  CHECK(worked_example().expected_error() == test::Approx(0.1));
}

TEST_CASE("the reliability table has each bin's predictions, mean confidence and accuracy",
          "[unit]") {
  const auto table = worked_example().table();
  REQUIRE(table.size() == 2);
  CHECK(table[0].count == 4);
  CHECK(table[0].confidence == test::Approx(0.3));
  CHECK(table[0].accuracy == test::Approx(0.25));
  CHECK(table[1].count == 6);
  CHECK(table[1].confidence == test::Approx(0.8));
  CHECK(table[1].accuracy == test::Approx(2.0 / 3.0));
  CHECK(table[0].to == test::Approx(0.5));
}

TEST_CASE("means of confidence and accuracy are over all predictions", "[unit]") {
  const auto calibration = worked_example();
  CHECK(calibration.count() == 10);
  CHECK(calibration.confidence() == test::Approx(0.6));
  CHECK(calibration.accuracy() == test::Approx(0.5));
}

TEST_CASE("a confidence on a boundary belongs to the bin below, 0 and 1 to the outer ones",
          "[unit]") {
  Calibration calibration(4);
  for (const double confidence : {0.0, 0.25, 0.5, 1.0}) calibration.add(confidence, true);
  const auto table = calibration.table();
  CHECK(table[0].count == 2);
  CHECK(table[1].count == 1);
  CHECK(table[2].count == 0);
  CHECK(table[3].count == 1);
}

TEST_CASE("predictions as accurate as their confidence have no calibration error", "[property]") {
  Calibration calibration;
  for (int i = 0; i < 100; ++i) calibration.add(0.75, i % 4 != 0);
  CHECK(calibration.expected_error() == test::Approx(0.0).margin(1e-12));
}

TEST_CASE("calibration without predictions is all zero, without bins it is refused", "[unit]") {
  CHECK(Calibration().expected_error() == 0.0);
  CHECK(Calibration().confidence() == 0.0);
  CHECK_THROWS_AS(Calibration(0), ContractError);
}

}  // namespace calibration_test
