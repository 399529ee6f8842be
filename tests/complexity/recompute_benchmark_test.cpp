#include "dragoman/complexity/recompute_benchmark.h"

#include "support/catch.h"

namespace recompute_benchmark_test {

using namespace dragoman;

TEST_CASE("recomputing takes less memory in deep stacks and gives the same gradient",
          "[property]") {
  RecomputeOptions options{
      .model = {}, .layers = {2, 9}, .sentences = 8, .length = 16, .seconds = 1e-6};
  options.model.d_model = 16;
  options.model.d_ff = 32;
  options.model.num_heads = 2;
  options.model.dropout = 0.2;
  const auto benchmark = benchmark_recompute(options);
  REQUIRE(benchmark.costs.size() == 6);
  for (const auto& cost : benchmark.costs) {
    CAPTURE(cost.layers, cost.segment);
    CHECK(cost.same_gradient);
    CHECK(cost.seconds > 0.0);
  }
  CHECK(benchmark.costs[3].segment == 0);
  CHECK(benchmark.costs[4].segment == 1);
  CHECK(benchmark.costs[5].segment == 3);
  CHECK(benchmark.costs[4].peak_mb < 0.4 * benchmark.costs[3].peak_mb);
  CHECK(benchmark.costs[5].peak_mb < 0.6 * benchmark.costs[3].peak_mb);
  const auto json = benchmark.json();
  CHECK(json["costs"][5]["recompute"] == "sqrt");
  CHECK(json["costs"][5]["same_gradient"] == true);
  CHECK(benchmark.plot().series[0].x == std::vector<double>{2, 9});
}

TEST_CASE("XXmeasure recompute") {
  for (const std::int64_t d : {16, 32})
    for (const std::int64_t len : {8, 16, 32}) {
      RecomputeOptions options{
          .model = {}, .layers = {4, 12, 24}, .sentences = 8, .length = len, .seconds = 1e-6};
      options.model.d_model = d;
      options.model.d_ff = 2 * d;
      options.model.num_heads = 2;
      options.model.dropout = 0.2;
      const auto benchmark = benchmark_recompute(options);
      std::printf("XX len %d\n%s\n", (int)len, benchmark.text().c_str());
    }
}

}  // namespace recompute_benchmark_test
