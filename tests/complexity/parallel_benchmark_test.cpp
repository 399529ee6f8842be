#include "dragoman/complexity/parallel_benchmark.h"

#include "support/catch.h"

namespace parallel_benchmark_test {

using namespace dragoman;

TEST_CASE("a target in one pass has the logits of step-by-step decoding", "[property]") {
  ParallelOptions options{
      .model = {}, .vocab_size = 50, .sentences = 2, .lengths = {3, 9}, .seconds = 1e-6};
  options.model.d_model = 16;
  options.model.d_ff = 32;
  options.model.num_heads = 2;
  options.model.encoder_layers = options.model.decoder_layers = 2;
  const auto benchmark = benchmark_parallel(options);
  REQUIRE(benchmark.costs.size() == 2);
  for (const auto& cost : benchmark.costs) {
    CAPTURE(cost.length);
    CHECK(cost.difference < 1e-5);
    CHECK(cost.whole_seconds > 0.0);
    CHECK(cost.steps_seconds > 0.0);
    CHECK(cost.uncached_step_seconds > 0.0);
  }
  const auto json = benchmark.json();
  CHECK(json["costs"][1]["length"] == 9);
  CHECK(json["costs"][1]["speed_up"].get<double>() == benchmark.costs[1].speed_up());
  CHECK(json["costs"][1]["seconds_per_step"].get<double>() * 9 ==
        test::Approx(benchmark.costs[1].steps_seconds));
  CHECK(json["costs"][1]["uncached_step_seconds"].get<double>() ==
        benchmark.costs[1].uncached_step_seconds);
  CHECK(benchmark.plot().series[1].x == std::vector<double>{3, 9});
}

}  // namespace parallel_benchmark_test
