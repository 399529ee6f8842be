#include "dragoman/train/data_parallel.h"

#include "support/close.h"
#include "support/training.h"

#include <atomic>
#include <cmath>
#include <span>

namespace dragoman::data_parallel_test {

namespace {

constexpr std::int64_t vocab_size = 23;

/// The gradient of one update whose data is divided in a given way.
test::Gradient run(const std::vector<std::vector<Batch>>& shards, const RunOptions& options,
                   std::uint64_t key = 1) {
  auto model = test::seeded_model(options, vocab_size, torch::kFloat64);
  auto workers = test::workers_of(model, options, std::ssize(shards));
  return test::gradient_of(workers, {.shards = shards, .counts = {}, .next = {}}, key);
}

}  // namespace

TEST_CASE("accumulated batches give the gradient of one big batch", "[gradient]") {
  const auto examples = test::random_examples(12, vocab_size, 3);
  const auto whole = run({{test::batch_of(examples)}}, test::small_model_options(0.0));
  const auto parts = run({{test::batch_of(std::span(examples).subspan(0, 5)),
                           test::batch_of(std::span(examples).subspan(5, 1)),
                           test::batch_of(std::span(examples).subspan(6, 6))}},
                         test::small_model_options(0.0));
  CHECK_THAT(parts.values, test::close_to(whole.values, {1e-10, 1e-12}));
  CHECK(parts.sums.loss == test::Approx(whole.sums.loss).epsilon(1e-10));
  CHECK(parts.sums.nll == test::Approx(whole.sums.nll).epsilon(1e-10));
  CHECK(parts.sums.correct == whole.sums.correct);
}

TEST_CASE("workers that share an update give the gradient of a single worker", "[gradient]") {
  const auto examples = test::random_examples(12, vocab_size, 3);
  const auto whole = run({{test::batch_of(examples)}}, test::small_model_options(0.0));
  const auto shared = run({{test::batch_of(std::span(examples).subspan(0, 4))},
                           {test::batch_of(std::span(examples).subspan(4, 7))},
                           {test::batch_of(std::span(examples).subspan(11, 1))}},
                          test::small_model_options(0.0));
  CHECK_THAT(shared.values, test::close_to(whole.values, {1e-10, 1e-12}));
}

TEST_CASE(
    "a padded batch has the sum of its sentences' losses and the token-weighted mean of their "
    "gradients",
    "[gradient]") {
  const auto examples = test::random_examples(6, vocab_size, 3);
  const auto together =
      run({{test::batch_of(std::span(examples).subspan(0, 6))}}, test::small_model_options(0.0));
  at::Tensor sum;
  double loss = 0.0, nll = 0.0;
  for (std::size_t i = 0; i < 6; ++i) {
    const auto alone =
        run({{test::batch_of(std::span(examples).subspan(i, 1))}}, test::small_model_options(0.0));
    const auto share =
        static_cast<double>(alone.sums.tokens) / static_cast<double>(together.sums.tokens);
    sum = sum.defined() ? sum + alone.values * share : alone.values * share;
    loss += alone.sums.loss;
    nll += alone.sums.nll;
  }
  CHECK_THAT(sum, test::close_to(together.values, {1e-10, 1e-12}));
  CHECK(together.sums.loss == test::Approx(loss).epsilon(1e-10));
  CHECK(together.sums.nll == test::Approx(nll).epsilon(1e-10));
}

TEST_CASE("more padding changes neither the loss nor the gradients", "[gradient]") {
  const auto examples = test::random_examples(6, vocab_size, 3);
  const auto batch = test::batch_of(examples);
  const auto expected = run({{batch}}, test::small_model_options(0.0));
  auto wider = batch;
  const auto with_columns = [](const at::Tensor& x, std::int64_t count) {
    return at::constant_pad_nd(x, {0, count}, 0);
  };
  for (auto* x : {&wider.source, &wider.source_mask}) *x = with_columns(*x, 3);
  for (auto* x : {&wider.target_input, &wider.target_output, &wider.target_mask})
    *x = with_columns(*x, 2);
  wider.target_places = wider.target_mask.flatten().nonzero().squeeze(1);
  const auto found = run({{wider}}, test::small_model_options(0.0));
  CHECK(found.sums.tokens == expected.sums.tokens);
  CHECK(found.sums.loss == test::Approx(expected.sums.loss).epsilon(1e-10));
  CHECK_THAT(found.values, test::close_to(expected.values, {1e-10, 1e-12}));
}

TEST_CASE("equal keys draw equal dropout on every run, different keys different dropout",
          "[property]") {
  const auto options = test::small_model_options(0.3);
  const auto examples = test::random_examples(8, vocab_size, 3);
  const std::vector<std::vector<Batch>> shards{{test::batch_of(std::span(examples).subspan(0, 4))},
                                               {test::batch_of(std::span(examples).subspan(4, 4))}};
  const auto first = run(shards, options, 5);
  CHECK(test::same_bits(first.values, run(shards, options, 5).values));
  CHECK_FALSE(test::same_bits(first.values, run(shards, options, 6).values));
}

TEST_CASE("teacher forcing gives the sum of the stepwise log-probabilities", "[property]") {
  const auto options = test::small_model_options(0.0);
  auto model = test::seeded_model(options, vocab_size, torch::kFloat64);
  model->eval();
  const auto examples = test::random_examples(1, vocab_size, 3);
  const auto batch = test::batch_of(std::span(examples).subspan(0, 1));
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
  const auto examples = test::random_examples(30, vocab_size, 3);
  const auto gradient_in = [&](Precision precision) {
    auto options = test::small_model_options(0.0);
    options.train.precision = precision;
    auto workers = test::workers_of(test::seeded_model(options, vocab_size), options, 1);
    return test::gradient_of(
        workers, {.shards = {{test::batch_of(std::span(examples))}}, .counts = {}, .next = {}});
  };
  const auto rounded = gradient_in(Precision::bf16), exact = gradient_in(Precision::float32);
  CHECK(rounded.values.isfinite().all().item<bool>());
  CHECK(rounded.values.scalar_type() == torch::kFloat32);
  CHECK(rounded.sums.loss != exact.sums.loss);
  CHECK(rounded.sums.loss == test::Approx(exact.sums.loss).epsilon(0.02));
  const auto error = (rounded.values - exact.values).norm() / exact.values.norm();
  CHECK(error.item<double>() < 0.05);
}

TEST_CASE("bf16 workers read the current weights", "[property]") {
  const auto examples = test::random_examples(10, vocab_size, 3);
  auto options = test::small_model_options(0.0);
  options.train.precision = Precision::bf16;
  options.train.label_smoothing = 0.0;
  auto workers = test::workers_of(test::seeded_model(options, vocab_size), options, 2);
  const auto batch = test::batch_of(std::span(examples).subspan(0, 5)),
             other = test::batch_of(std::span(examples).subspan(5, 5));
  CHECK(workers.evaluate({batch, other})->loss > 0.0);
  // With zero weights all pieces are equally probable.
  workers.weights().zero_();
  const auto sums = workers.evaluate({batch, other}).value();
  CHECK(sums.loss ==
        test::Approx(static_cast<double>(sums.tokens) * std::log(vocab_size)).epsilon(1e-6));
}

TEST_CASE("an evaluation that is asked to stop has no result", "[unit]") {
  const auto examples = test::random_examples(12, vocab_size, 3);
  const auto options = test::small_model_options(0.0);
  auto workers = test::workers_of(test::seeded_model(options, vocab_size), options, 2);
  std::vector<Batch> batches;
  for (std::size_t i = 0; i < 12; ++i)
    batches.push_back(test::batch_of(std::span(examples).subspan(i, 1)));
  std::atomic<int> asked = 0;
  CHECK_FALSE(workers.evaluate(batches, [&] { return ++asked > 5; }));
  CHECK(asked < 12);
  CHECK(workers.evaluate(batches, [] { return false; }));
}

}  // namespace dragoman::data_parallel_test
