#include "dragoman/planning/benchmark.h"

#include "dragoman/model/flops.h"
#include "dragoman/model/parameter_count.h"
#include "support/catch.h"

#include <cmath>
#include <vector>

namespace benchmark_test {

using namespace dragoman;

namespace {

constexpr std::int64_t vocab_size = 20;

Example example_of(std::size_t source_len, std::size_t target_len) {
  const std::int32_t eos = 3;
  Example example{.source_ids = std::vector<std::int32_t>(source_len, 7),
                  .target_ids = std::vector<std::int32_t>(target_len, 8)};
  example.source_ids.back() = example.target_ids.back() = eos;
  return example;
}

RunOptions small_options() {
  RunOptions options;
  options.model.d_model = 16;
  options.model.d_ff = 32;
  options.model.num_heads = 2;
  options.model.encoder_layers = options.model.decoder_layers = 1;
  options.train.batch_tokens = 1000;
  options.train.workers = options.train.threads = 1;
  options.train.device = "cpu";
  options.train.precision = Precision::float32;
  return options;
}

}  // namespace

TEST_CASE("the benchmark of training counts tokens, padding and operations of its updates",
          "[unit]") {
  auto options = small_options();
  options.model.share_embeddings = ShareEmbeddings::target_output;
  // One batch: 13 source and 15 target tokens in 3 rows of 6 and 7.
  const std::vector<Example> examples{example_of(6, 4), example_of(2, 7), example_of(5, 4)};
  const VocabularySizes sizes{.source = 30, .target = vocab_size};
  const auto result = benchmark_training(options, examples, sizes, 0.01);
  REQUIRE(result.updates >= 1);
  CHECK(result.parameters == parameter_count(options.model, sizes).total.total());
  CHECK(result.updates_per_epoch == 1);
  CHECK(result.workers == 1);
  CHECK(result.padding == test::Approx((18.0 - 13.0 + 21.0 - 15.0) / (18.0 + 21.0)));
  const auto updates = static_cast<double>(result.updates);
  CHECK(result.target_tokens_per_second * result.seconds == test::Approx(15.0 * updates));
  double forward = 0.0;
  for (const auto& example : examples)
    forward += forward_flops(options.model, vocab_size, std::ssize(example.source_ids),
                             std::ssize(example.target_ids));
  CHECK(result.achieved_gflops * 1e9 * result.seconds == test::Approx(3.0 * forward * updates));
  CHECK(result.matmul_gflops > 0.0);
}

TEST_CASE("random pairs have the lengths of captions, end with EOS and depend on the seed",
          "[unit]") {
  const SpecialIds special;
  const auto examples = random_examples(2000, vocab_size, special, 1);
  REQUIRE(examples.size() == 2000);
  double source_len = 0.0, target_len = 0.0;
  for (const auto& example : examples) {
    for (const auto* ids : {&example.source_ids, &example.target_ids}) {
      REQUIRE(ids->size() >= 4);
      REQUIRE(ids->back() == special.eos);
      for (const auto id : *ids) REQUIRE((id >= 3 && id < vocab_size));
    }
    source_len += static_cast<double>(example.source_ids.size()) / 2000.0;
    target_len += static_cast<double>(example.target_ids.size()) / 2000.0;
  }
  CHECK(std::abs(source_len - 15.0) < 0.5);
  CHECK(std::abs(target_len - 16.0) < 0.5);
  CHECK(random_examples(3, vocab_size, special, 1)[2].source_ids == examples[2].source_ids);
  CHECK(random_examples(3, vocab_size, special, 2)[2].source_ids != examples[2].source_ids);
}

}  // namespace benchmark_test
