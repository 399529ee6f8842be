#include "dragoman/complexity/recurrent_benchmark.h"

#include "support/catch.h"

namespace recurrent_benchmark_test {

using namespace dragoman;

TEST_CASE("attention and recurrent layers are measured on both sides of n = d", "[unit]") {
  const auto benchmark = benchmark_recurrent({.lengths = {4, 8, 16},
                                              .sizes = {.d_model = 8, .num_heads = 2},
                                              .sentences = 2,
                                              .seconds = 1e-6});
  REQUIRE(benchmark.costs.size() == 3);
  const auto json = benchmark.json();
  for (const auto& cost : json["costs"])
    for (const char* layer : {"attention", "recurrent", "lstm"}) {
      CAPTURE(cost["length"].get<int>(), layer);
      CHECK(cost[layer]["forward_seconds"].get<double>() > 0.0);
      CHECK(cost[layer]["backward_seconds"].get<double>() > 0.0);
      CHECK(cost[layer]["peak_mb"].get<double>() > 0.0);
    }
  // n = 2d: 4 n d^2 + 2 n^2 d = 8 n d^2
  CHECK(json["costs"][2]["attention"]["multiply_adds"] ==
        json["costs"][2]["lstm"]["multiply_adds"]);
  CHECK(json["costs"][2]["recurrent"]["multiply_adds"].get<double>() == 2.0 * 16 * 8 * 8);
  for (const char* side : {"n < d", "n = d", "n > d"})
    CHECK_THAT(benchmark.text(), test::contains(side));
  CHECK(benchmark.plot().series.size() == 3);
}

}  // namespace recurrent_benchmark_test
