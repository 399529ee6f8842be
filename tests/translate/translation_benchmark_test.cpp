#include "dragoman/translate/benchmark.h"

#include "support/catch.h"

#include <vector>

namespace translation_benchmark_test {

using namespace dragoman;

TEST_CASE("the benchmark of new weights writes each target to its length, in each pass", "[unit]") {
  RunOptions options;
  options.model.d_model = 16;
  options.model.d_ff = 32;
  options.model.num_heads = 2;
  options.model.encoder_layers = options.model.decoder_layers = 1;
  options.search.beam_size = 3;
  options.train.workers = 1;
  const std::vector<Example> examples{{.source_ids = {5, 6, 3}, .target_ids = {7, 8, 9, 3}},
                                      {.source_ids = {6, 3}, .target_ids = {9, 3}},
                                      {.source_ids = {5, 5, 5, 3}, .target_ids = {7, 7, 7, 3}}};
  const auto result = benchmark_random_translation(options, examples, 20, 0.01);
  REQUIRE(result.passes >= 1);
  const auto passes = static_cast<double>(result.passes);
  CHECK(result.sentences == 3);
  CHECK(result.seconds >= 0.01);
  CHECK(result.sentences_per_second * result.seconds == test::Approx(3.0 * passes));
  CHECK(result.target_tokens_per_second * result.seconds == test::Approx(10.0 * passes));
  CHECK(result.beam_size == 3);
  CHECK(result.search == "beam 3");
  CHECK(result.load_seconds == 0.0);
}

}  // namespace translation_benchmark_test
