#include "dragoman/train/data_parallel.h"

#include "support/close.h"
#include "support/training.h"

#include <atomic>
#include <cmath>
#include <random>

namespace dragoman::data_parallel_test {

namespace {

constexpr std::int64_t vocab_size = 23;

RunOptions small_options() {
  RunOptions options;
  options.model.d_model = 16;
  options.model.d_ff = 24;
  options.model.num_heads = 2;
  options.model.encoder_layers = options.model.decoder_layers = 2;
  options.model.dropout = 0.0;
  return options;
}

std::vector<Example> sentences(std::size_t count) {
  std::mt19937 random(3);
  std::vector<Example> examples(count);
  for (auto& example : examples) {
    for (auto* side : {&example.source_ids, &example.target_ids}) {
      side->resize(2 + random() % 7);
      for (auto& id : *side) id = static_cast<std::int32_t>(4 + random() % (vocab_size - 4));
      side->back() = 3;
    }
  }
  return examples;
}

Batch batch_of(const std::vector<Example>& examples, std::size_t begin, std::size_t end) {
  std::vector<const Example*> chosen;
  for (auto i = begin; i < end; ++i) chosen.push_back(&examples[i]);
  return make_batch(chosen, {}, {});
}

/// The gradient of one update whose data is divided in a given way.
test::Gradient run(const std::vector<std::vector<Batch>>& shards, const RunOptions& options,
                   std::uint64_t key = 1) {
  torch::manual_seed(1);
  Transformer model(options.model, VocabularySizes{vocab_size, vocab_size});
  model->to(torch::kFloat64);
  auto workers = test::workers_of(model, options, std::ssize(shards));
  return test::gradient_of(workers, {.shards = shards, .counts = {}, .next = {}}, key);
}

}  // namespace

TEST_CASE("accumulated batches give the gradient of one big batch", "[gradient]") {
  const auto examples = sentences(12);
  const auto whole = run({{batch_of(examples, 0, 12)}}, small_options());
  const auto parts =
      run({{batch_of(examples, 0, 5), batch_of(examples, 5, 6), batch_of(examples, 6, 12)}},
          small_options());
  CHECK_THAT(parts.values, test::close_to(whole.values, {1e-10, 1e-12}));
  CHECK(parts.sums.loss == test::Approx(whole.sums.loss).epsilon(1e-10));
  CHECK(parts.sums.nll == test::Approx(whole.sums.nll).epsilon(1e-10));
  CHECK(parts.sums.correct == whole.sums.correct);
}

TEST_CASE("workers that share an update give the gradient of a single worker", "[gradient]") {
  const auto examples = sentences(12);
  const auto whole = run({{batch_of(examples, 0, 12)}}, small_options());
  const auto shared =
      run({{batch_of(examples, 0, 4)}, {batch_of(examples, 4, 11)}, {batch_of(examples, 11, 12)}},
          small_options());
  CHECK_THAT(shared.values, test::close_to(whole.values, {1e-10, 1e-12}));
}

TEST_CASE("a padded batch has the token-weighted mean of its sentences' gradients", "[gradient]") {
  const auto examples = sentences(6);
  const auto together = run({{batch_of(examples, 0, 6)}}, small_options());
  at::Tensor sum;
  for (std::size_t i = 0; i < 6; ++i) {
    const auto alone = run({{batch_of(examples, i, i + 1)}}, small_options());
    const auto share =
        static_cast<double>(alone.sums.tokens) / static_cast<double>(together.sums.tokens);
    sum = sum.defined() ? sum + alone.values * share : alone.values * share;
  }
  CHECK_THAT(sum, test::close_to(together.values, {1e-10, 1e-12}));
}

TEST_CASE("equal keys draw equal dropout on every run, different keys different dropout",
          "[property]") {
  auto options = small_options();
  options.model.dropout = 0.3;
  const auto examples = sentences(8);
  const std::vector<std::vector<Batch>> shards{{batch_of(examples, 0, 4)},
                                               {batch_of(examples, 4, 8)}};
  const auto first = run(shards, options, 5);
  CHECK(test::same_bits(first.values, run(shards, options, 5).values));
  CHECK_FALSE(test::same_bits(first.values, run(shards, options, 6).values));
}

TEST_CASE("teacher forcing gives the sum of the stepwise log-probabilities", "[property]") {
  const auto options = small_options();
  torch::manual_seed(1);
  Transformer model(options.model, VocabularySizes{vocab_size, vocab_size});
  model->to(torch::kFloat64);
  model->eval();
  const auto examples = sentences(1);
  const auto batch = batch_of(examples, 0, 1);
  const torch::NoGradGuard no_gradients;
  auto state = model->start(model->encode(batch.source, batch.source_mask), batch.source_mask);
  double log_prob = 0.0;
  for (std::int64_t t = 0; t < batch.target_output.size(1); ++t) {
    const auto logits = model->step(batch.target_input.select(1, t), state);
    log_prob += torch::log_softmax(logits, -1)[0][batch.target_output[0][t].item<std::int64_t>()]
                    .item<double>();
  }
  auto unsmoothed = options;
  unsmoothed.train.label_smoothing = 0.0;
  auto workers = test::workers_of(model, unsmoothed, 1);
  CHECK(workers.evaluate({batch})->loss == test::Approx(-log_prob).epsilon(1e-10));
}

TEST_CASE("bf16 products stay near float32", "[property]") {
  const auto examples = sentences(30);
  const auto loss = [&](Precision precision) {
    auto options = small_options();
    options.train.precision = precision;
    torch::manual_seed(1);
    Transformer model(options.model, VocabularySizes{vocab_size, vocab_size});
    auto workers = test::workers_of(model, options, 1);
    const auto gradient = test::gradient_of(
        workers, {.shards = {{batch_of(examples, 0, 30)}}, .counts = {}, .next = {}});
    CHECK(gradient.values.isfinite().all().item<bool>());
    CHECK(gradient.values.scalar_type() == torch::kFloat32);
    return gradient.sums.loss;
  };
  CHECK(loss(Precision::bf16) == test::Approx(loss(Precision::float32)).epsilon(0.02));
}

TEST_CASE("bf16 workers read the current weights", "[property]") {
  const auto examples = sentences(10);
  auto options = small_options();
  options.train.precision = Precision::bf16;
  Transformer model(options.model, VocabularySizes{vocab_size, vocab_size});
  options.train.label_smoothing = 0.0;
  auto workers = test::workers_of(model, options, 2);
  const auto batch = batch_of(examples, 0, 5), other = batch_of(examples, 5, 10);
  CHECK(workers.evaluate({batch, other})->loss > 0.0);
  // With zero weights all pieces are equally probable.
  workers.weights().zero_();
  const auto sums = workers.evaluate({batch, other}).value();
  CHECK(sums.loss ==
        test::Approx(static_cast<double>(sums.tokens) * std::log(vocab_size)).epsilon(1e-6));
}

TEST_CASE("an evaluation that is asked to stop has no result", "[unit]") {
  const auto examples = sentences(12);
  torch::manual_seed(1);
  const auto options = small_options();
  auto workers = test::workers_of(
      Transformer(options.model, VocabularySizes{vocab_size, vocab_size}), options, 2);
  std::vector<Batch> batches;
  for (std::size_t i = 0; i < 12; ++i) batches.push_back(batch_of(examples, i, i + 1));
  std::atomic<int> asked = 0;
  CHECK_FALSE(workers.evaluate(batches, [&] { return ++asked > 5; }));
  CHECK(asked < 12);
  CHECK(workers.evaluate(batches, [] { return false; }));
}

}  // namespace dragoman::data_parallel_test
