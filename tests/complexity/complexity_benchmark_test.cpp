#include "dragoman/complexity/complexity_benchmark.h"

#include "support/catch.h"

#include <cmath>
#include <utility>

namespace complexity_benchmark_test {

using namespace dragoman;

namespace {

/// Exact theoretical times of attention and its projections: equal at n = 600.
ComplexityBenchmark drawn_benchmark() {
  ComplexityBenchmark benchmark;
  benchmark.options.parts = {LayerPart::attention, LayerPart::projections};
  for (const auto part : benchmark.options.parts)
    for (const std::int64_t length : {256, 512, 1024, 2048}) {
      const auto n = static_cast<double>(length);
      const double seconds = part == LayerPart::attention ? n * n / 600.0 : n;
      benchmark.costs.push_back({part,
                                 length,
                                 {.forward_seconds = seconds / 3.0,
                                  .backward_seconds = seconds * 2.0 / 3.0,
                                  .peak_mb = 5.0 * seconds}});
    }
  return benchmark;
}

}  // namespace

TEST_CASE("exponents of time, memory and multiply-adds are fitted by part", "[unit]") {
  const auto benchmark = drawn_benchmark();
  CHECK(*benchmark.counted_exponent(LayerPart::attention) == test::Approx(2.0));
  CHECK(*benchmark.time_exponent(LayerPart::attention) == test::Approx(2.0));
  CHECK(*benchmark.memory_exponent(LayerPart::attention) == test::Approx(2.0));
  CHECK(*benchmark.time_exponent(LayerPart::projections) == test::Approx(1.0));
  CHECK_FALSE(benchmark.time_exponent(LayerPart::lstm).has_value());
}

TEST_CASE("a part grows as its formula if the exponent of its time is within 0.2", "[unit]") {
  auto benchmark = drawn_benchmark();
  CHECK(*benchmark.grows_as_formula(LayerPart::attention));
  CHECK_FALSE(benchmark.grows_as_formula(LayerPart::lstm).has_value());
  for (const auto& [power, within] :
       {std::pair{0.15, true}, {-0.15, true}, {0.25, false}, {-0.25, false}}) {
    CAPTURE(power);
    auto other = benchmark;
    for (auto& cost : other.costs) {
      const double factor = std::pow(static_cast<double>(cost.length), power);
      cost.cost.forward_seconds *= factor;
      cost.cost.backward_seconds *= factor;
    }
    CHECK(*other.grows_as_formula(LayerPart::attention) == within);
    CHECK(*other.grows_as_formula(LayerPart::projections) == within);
    CHECK(other.json()["parts"]["attention"]["time_within_tolerance"] == within);
  }
}

TEST_CASE("the crossover is where attention takes as long as its projections", "[unit]") {
  auto benchmark = drawn_benchmark();
  CHECK(*benchmark.measured_crossover() == test::Approx(600.0));
  CHECK_THAT(benchmark.text(),
             test::contains("attention = its projections at n = 2d = 512 by multiply-adds, "
                            "at n = 600 by measured time"));
  benchmark.costs.erase(benchmark.costs.begin());
  benchmark.costs.erase(benchmark.costs.begin());
  CHECK_FALSE(benchmark.measured_crossover().has_value());
}

TEST_CASE("the table has the formulas of each part and their values", "[unit]") {
  const auto text = drawn_benchmark().text();
  CHECK_THAT(text, test::contains("2 n^2 d  134217728"));
  CHECK_THAT(text, test::contains("4 n d^2  134217728"));
}

TEST_CASE("a benchmark in JSON has formulas, costs and exponents", "[unit]") {
  const auto json = drawn_benchmark().json();
  CHECK(json["costs"].size() == 8);
  CHECK(json["costs"][0]["multiply_adds"] == 2 * 256 * 256 * 256);
  CHECK(json["parts"]["attention"]["multiply_adds"]["formula"] == "2 n^2 d");
  CHECK(json["parts"]["attention"]["path"]["value"] == 1);
  CHECK(json["parts"]["projections"]["time_exponent"].get<double>() == test::Approx(1.0));
  CHECK(json["core_equals_projections"]["counted"] == 512);
}

TEST_CASE("the plot has a line for each part", "[unit]") {
  const auto plot = drawn_benchmark().plot();
  REQUIRE(plot.series.size() == 2);
  CHECK(plot.series[1].name == "projections");
  CHECK(plot.series[1].x == std::vector<double>{256, 512, 1024, 2048});
  CHECK(plot.series[1].y[0] == test::Approx(256e3));
}

TEST_CASE(
    "memory as measured, and multiply-adds, grow as the square of the length for attention "
    "alone",
    "[property]") {
  const auto benchmark =
      benchmark_complexity({.parts = {LayerPart::attention, LayerPart::local, LayerPart::linear,
                                      LayerPart::projections, LayerPart::feed_forward},
                            .lengths = {512, 1024, 2048},
                            .sizes = {.d_model = 16, .num_heads = 2, .radius = 4, .d_ff = 32},
                            .seconds = 1e-6});
  for (const auto part : benchmark.options.parts) {
    CAPTURE(name_of(part));
    const double power = part == LayerPart::attention ? 2.0 : 1.0;
    REQUIRE(benchmark.memory_exponent(part).has_value());
    CHECK(*benchmark.memory_exponent(part) == test::Approx(power).margin(0.2));
    CHECK(*benchmark.counted_exponent(part) == test::Approx(power).margin(0.05));
  }
}

TEST_CASE("every part is measured at every length", "[unit]") {
  const auto benchmark =
      benchmark_complexity({.lengths = {8, 16},
                            .sizes = {.d_model = 8, .num_heads = 2, .radius = 2, .d_ff = 16},
                            .seconds = 1e-6});
  REQUIRE(benchmark.costs.size() == 16);
  for (const auto& [part, length, cost] : benchmark.costs) {
    CAPTURE(name_of(part), length);
    CHECK(cost.forward_seconds > 0.0);
    CHECK(cost.forward_seconds < 60.0);
    CHECK(cost.backward_seconds > 0.0);
    CHECK(cost.backward_seconds < 60.0);
    CHECK(cost.peak_mb > 0.0);
  }
}

}  // namespace complexity_benchmark_test
