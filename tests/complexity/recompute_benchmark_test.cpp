#include "dragoman/complexity/recompute_benchmark.h"

#include "support/catch.h"

#include <map>
#include <utility>

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

TEST_CASE("peak memory grows with depth like the layers that are kept", "[property]") {
  RecomputeOptions options{
      .model = {}, .layers = {4, 12, 24}, .sentences = 8, .length = 16, .seconds = 1e-6};
  options.model.d_model = 16;
  options.model.d_ff = 32;
  options.model.num_heads = 2;
  options.model.dropout = 0.2;
  const auto benchmark = benchmark_recompute(options);
  std::map<std::pair<Recompute, std::int64_t>, double> peak;
  for (const auto& cost : benchmark.costs) {
    CAPTURE(cost.layers, cost.segment);
    CHECK(cost.same_gradient);
    peak[{cost.kind, cost.layers}] = cost.peak_mb;
  }
  REQUIRE(peak.size() == 9);
  const auto growth = [&](Recompute kind) { return peak[{kind, 24}] / peak[{kind, 4}]; };
  CAPTURE(growth(Recompute::none), growth(Recompute::sqrt), growth(Recompute::all));
  CHECK(growth(Recompute::none) > 5.0);  // of six times as many layers
  CHECK(growth(Recompute::sqrt) < 3.0);
  CHECK(peak[{Recompute::all, 24}] < 0.15 * peak[{Recompute::none, 24}]);
  for (const auto kind : {Recompute::none, Recompute::sqrt, Recompute::all}) {
    CHECK(peak[{kind, 4}] < peak[{kind, 12}]);
    CHECK(peak[{kind, 12}] < peak[{kind, 24}]);
  }
}

}  // namespace recompute_benchmark_test
