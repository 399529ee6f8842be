#include "dragoman/report/plot_axis.h"

#include "support/catch.h"

#include <cmath>
#include <limits>
#include <stdexcept>

namespace plot_axis_test {

using namespace dragoman;

namespace {

std::vector<std::string> labels_of(const PlotAxis& axis) {
  std::vector<std::string> labels;
  for (const auto& tick : axis.ticks) labels.push_back(tick.label);
  return labels;
}

using Labels = std::vector<std::string>;

}  // namespace

TEST_CASE("a linear axis has round ticks around its numbers", "[unit]") {
  CHECK(labels_of(plot_axis({0.0, 9.7}, false)) == Labels{"0", "2", "4", "6", "8", "10"});
  CHECK(labels_of(plot_axis({-0.04, 0.13}, false)) ==
        Labels{"-0.05", "0.00", "0.05", "0.10", "0.15"});
  CHECK(labels_of(plot_axis({1000.0, 4000.0}, false)) ==
        Labels{"1000", "1500", "2000", "2500", "3000", "3500", "4000"});
  CHECK(labels_of(plot_axis({0.0, 3e7}, false)) ==
        Labels{"0", "5e6", "1.0e7", "1.5e7", "2.0e7", "2.5e7", "3.0e7"});
}

TEST_CASE("a logarithmic axis has ticks at 1, 2 and 5, over many decades at powers of ten",
          "[unit]") {
  CHECK(labels_of(plot_axis({12.0, 90.0}, true)) == Labels{"10", "20", "50", "100"});
  CHECK(labels_of(plot_axis({0.003, 40.0}, true)) == Labels{"0.01", "0.1", "1", "10"});
  CHECK(labels_of(plot_axis({128.0, 8192.0}, true)) ==
        Labels{"100", "200", "500", "1000", "2000", "5000", "10000"});
}

TEST_CASE("equal factors are equal distances on a logarithmic axis", "[unit]") {
  const auto axis = plot_axis({1.0, 100.0}, true);
  CHECK(axis.place(1.0) == 0.0);
  CHECK(axis.place(10.0) == test::Approx(0.5));
  CHECK(axis.place(100.0) == 1.0);
}

TEST_CASE("every number stands within its axis, whatever its size", "[property]") {
  for (const double size : {1e-310, 1e-200, 3e-7, 1.0, 47.0, 9.99e9, 1e200, 1e300})
    for (const double ratio : {1.0, 1.0 + 1e-14, 1.001, 7.3, 1e6})
      for (const bool logarithmic : {false, true}) {
        const std::vector<double> values = {size / ratio, size};
        CAPTURE(size, ratio, logarithmic);
        if (logarithmic && size < 1e-290) continue;
        const auto axis = plot_axis(values, logarithmic);
        CHECK(axis.from <= values[0] * (1.0 + 1e-9));
        CHECK(axis.to >= values[1] * (1.0 - 1e-9));
        CHECK(axis.to > axis.from);
        CHECK(axis.ticks.size() <= 12);
        CHECK(std::isfinite(axis.place(size)));
      }
}

TEST_CASE("an axis of data begins and ends where the data do, with round ticks within", "[unit]") {
  const auto lengths = data_axis({128.0, 2048.0}, true);
  CHECK(labels_of(lengths) == Labels{"200", "500", "1000", "2000"});
  CHECK(lengths.from > 100.0);
  CHECK(lengths.to < 2300.0);
  const auto bleu = data_axis({31.2, 34.9}, false);
  CHECK(labels_of(bleu) == Labels{"31.5", "32.0", "32.5", "33.0", "33.5", "34.0", "34.5", "35.0"});
  CHECK(bleu.from > 31.0);
  CHECK(data_axis({0.0, 6000.0}, false).from == 0.0);      // not below 0 for a margin
  CHECK(data_axis({12.0, 14.0}, true).ticks.size() >= 3);  // less than a factor of 2
}

TEST_CASE("every number stands within the axis of its data, which has ticks", "[property]") {
  for (const double size : {1e-200, 3e-7, 1.0, 47.0, 9.99e9, 1e200, 1e300})
    for (const double ratio : {1.0, 1.0 + 1e-14, 1.001, 1.3, 7.3, 1e6})
      for (const bool logarithmic : {false, true}) {
        const std::vector<double> values = {size / ratio, size};
        CAPTURE(size, ratio, logarithmic);
        const auto axis = data_axis(values, logarithmic);
        CHECK(axis.from <= values[0] * (1.0 + 1e-9));
        CHECK(axis.to >= values[1] * (1.0 - 1e-9));
        CHECK(axis.ticks.size() >= 2);
        CHECK(axis.ticks.size() <= 12);
      }
}

TEST_CASE("one number, and none, have an axis too", "[unit]") {
  const auto one = plot_axis({5.0}, false);
  CHECK(one.place(5.0) == test::Approx(0.5).margin(0.2));
  CHECK(labels_of(plot_axis({}, false)).front() == "0.0");
  CHECK(plot_axis({std::nan("")}, true).to == 10.0);
}

TEST_CASE("a number without a place on the axis is refused", "[unit]") {
  CHECK_THROWS_AS(plot_axis({1.0, 0.0}, true), std::invalid_argument);
  CHECK_THROWS_AS(plot_axis({1.0, -2.0}, true), std::invalid_argument);
  CHECK_THROWS_AS(plot_axis({std::numeric_limits<double>::infinity()}, false),
                  std::invalid_argument);
}

}  // namespace plot_axis_test
