// Updates with `train.consistency`.
#include "dragoman/loss/paired_loss.h"
#include "dragoman/tensor/dropout.h"
#include "dragoman/tensor/random_stream.h"

#include "support/close.h"
#include "support/thread_group.h"
#include "support/training.h"

#include <mutex>
#include <span>
#include <utility>
#include <vector>

namespace dragoman::consistency_test {

namespace {

constexpr std::int64_t vocab_size = 23;

RunOptions consistent(Consistency consistency, double dropout) {
  auto options = test::small_model_options(dropout);
  options.train.consistency = consistency;
  options.train.consistency_weight = consistency == Consistency::rdrop ? 5.0 : 3.0;
  return options;
}

/// Cuts all embeddings off but one in ten million, so that the result depends on no random number.
RunOptions without_chance() {
  auto options = consistent(Consistency::simcut, 0.0);
  options.train.cutoff = 0.9999999;
  return options;
}

test::Gradient run(const std::vector<std::vector<Batch>>& shards, const RunOptions& options,
                   at::ScalarType type = torch::kFloat64, std::uint64_t key = 1) {
  auto model = test::seeded_model(options, vocab_size, type);
  auto workers = test::workers_of(model, options, std::ssize(shards));
  return test::gradient_of(workers, {.shards = shards, .counts = {}, .next = {}}, key);
}

/// Without the row of the padding that ends shorter sentences.
at::Tensor real_rows(const at::Tensor& logits, const Batch& batch) {
  return logits.flatten(0, 1).index_select(0, batch.target_places);
}

/// The gradient of the mean loss of two passes whose logits `passes` computes, one after the other.
template <typename Passes>
at::Tensor plain_gradient(const RunOptions& options, const Batch& batch, const Passes& passes) {
  auto model = test::seeded_model(options, vocab_size, torch::kFloat64);
  model->train();
  FlatParameters flat(*model);
  const auto gradient = flat.attach(*model);
  const auto [one, other] = passes(model);
  const auto targets = batch.target_output.flatten().index_select(0, batch.target_places);
  const auto log_p = torch::log_softmax(one, -1), log_q = torch::log_softmax(other, -1);
  const auto smoothed = [&](const at::Tensor& log_probs) {
    const double eps = options.train.label_smoothing;
    return -(1.0 - eps) * log_probs.gather(1, targets.unsqueeze(1)).sum() -
           eps / static_cast<double>(vocab_size) * log_probs.sum();
  };
  const auto divergence = [](const at::Tensor& a, const at::Tensor& b) {
    return (a.exp() * (a - b)).sum();
  };
  const double alpha = options.train.consistency_weight;
  const auto loss = options.train.consistency == Consistency::simcut
                        ? smoothed(log_p) + alpha * divergence(log_p, log_q)
                        : (smoothed(log_p) + smoothed(log_q) +
                           alpha / 2.0 * (divergence(log_p, log_q) + divergence(log_q, log_p))) /
                              2.0;
  (loss / static_cast<double>(batch.target_tokens)).backward();
  return gradient.clone();
}

}  // namespace

TEST_CASE("R-Drop's gradient is that of two passes under different dropout", "[gradient]") {
  const auto options = consistent(Consistency::rdrop, 0.3);
  const auto examples = test::random_examples(7, vocab_size, 3);
  const auto batch = test::batch_of(examples);
  const auto expected = plain_gradient(options, batch, [&](Transformer& model) {
    const RandomScope random(mix(/*key=*/1, /*worker=*/0));
    const auto twice = [](const at::Tensor& x) { return at::cat({x, x}, 0); };
    const auto halves =
        model->forward(twice(batch.source), twice(batch.source_mask), twice(batch.target_input))
            .chunk(2, 0);
    return std::pair(real_rows(halves[0], batch), real_rows(halves[1], batch));
  });
  CHECK_THAT(run({{batch}}, options).values, test::close_to(expected, {1e-10, 1e-12}));
}

TEST_CASE("SimCut's gradient is that of a whole pass and one with embeddings cut off",
          "[gradient]") {
  auto options = consistent(Consistency::simcut, 0.0);
  options.train.cutoff = 0.4;
  const auto examples = test::random_examples(7, vocab_size, 3);
  const auto batch = test::batch_of(examples);
  const auto expected = plain_gradient(options, batch, [&](Transformer& model) {
    const RandomScope random(mix(/*key=*/1, /*worker=*/0));
    const auto draw = [&](const at::Tensor& ids) {
      return dropout_factors(torch::zeros(ids.sizes()), options.train.cutoff).ne(0.0);
    };
    const auto source_kept = draw(batch.source), target_kept = draw(batch.target_input);
    REQUIRE_FALSE(source_kept.all().item<bool>());
    REQUIRE(target_kept.any().item<bool>());
    // Here the positions, which both passes read, are added by hand.
    const auto cut = [](const at::Tensor& embedded, const at::Tensor& kept,
                        const at::Tensor& positions) {
      return torch::where(kept.unsqueeze(2), embedded, positions.expand_as(embedded));
    };
    const auto positions = [&](const at::Tensor& ids) {
      const at::NoGradGuard no_gradient;
      auto zero = test::seeded_model(options, vocab_size, torch::kFloat64);
      for (auto& item : zero->named_parameters())
        if (item.key().find("embedding.weight") != std::string::npos) item.value().zero_();
      return zero->embed_source(ids).narrow(0, 0, 1);
    };
    const auto memory = model->encode_embedded(
        cut(model->embed_source(batch.source), source_kept, positions(batch.source)), batch.source,
        batch.source_mask);
    const auto other = model->generator()->forward(model->decode_embedded(
        cut(model->embed_target(batch.target_input), target_kept, positions(batch.target_input)),
        memory, batch.source_mask));
    const auto one = model->forward(batch.source, batch.source_mask, batch.target_input);
    return std::pair(real_rows(one, batch), real_rows(other, batch));
  });
  CHECK_THAT(run({{batch}}, options).values, test::close_to(expected, {1e-10, 1e-12}));
}

TEST_CASE("workers, batches and ranks share an update of two passes", "[gradient]") {
  const auto options = without_chance();
  const auto examples = test::random_examples(12, vocab_size, 3);
  const auto part = [&](std::size_t begin, std::size_t count) {
    return test::batch_of(std::span(examples).subspan(begin, count));
  };
  const auto whole = run({{part(0, 12)}}, options);
  CHECK(whole.sums.consistency > 0.0);
  CHECK(whole.sums.tokens == part(0, 12).target_tokens);
  const auto check = [&](const at::Tensor& values, const PassSums& sums) {
    CHECK_THAT(values, test::close_to(whole.values, {1e-10, 1e-12}));
    CHECK(sums.loss == test::Approx(whole.sums.loss).epsilon(1e-10));
    CHECK(sums.consistency == test::Approx(whole.sums.consistency).epsilon(1e-10));
    CHECK(sums.correct == whole.sums.correct);
  };
  const auto shared = run({{part(0, 4)}, {part(4, 7), part(11, 1)}}, options);
  check(shared.values, shared.sums);
  std::mutex mutex;
  std::vector<test::Gradient> of_ranks(2);
  test::run_ranks(2, [&](Communicator& group) {
    const auto rank = group.rank();
    Transformer model{nullptr};
    {
      const std::lock_guard lock(mutex);  // the generator of the weights is the process's
      model = test::seeded_model(options, vocab_size, torch::kFloat64);
    }
    auto workers = test::workers_of(model, options, 1);
    workers.join(group, {.workers = 1, .first = rank, .all = 2});
    of_ranks[static_cast<std::size_t>(rank)] = test::gradient_of(
        workers, {.shards = {{rank == 0 ? part(0, 5) : part(5, 7)}}, .counts = {}, .next = {}});
  });
  for (const auto& gradient : of_ranks) check(gradient.values, gradient.sums);
}

TEST_CASE("equal keys cut the same embeddings off on every run, others others", "[property]") {
  for (const auto consistency : {Consistency::rdrop, Consistency::simcut}) {
    const auto options = consistent(consistency, 0.2);
    const auto examples = test::random_examples(8, vocab_size, 3);
    const std::vector<std::vector<Batch>> shards{
        {test::batch_of(std::span(examples).subspan(0, 4))},
        {test::batch_of(std::span(examples).subspan(4, 4))}};
    const auto values = [&](std::uint64_t key) {
      return run(shards, options, torch::kFloat32, key).values;
    };
    const auto first = values(5);
    CHECK(test::same_bits(first, values(5)));
    CHECK_FALSE(test::same_bits(first, values(6)));
  }
}

TEST_CASE("float32, bf16 and recomputation stay near float64 in two passes", "[property]") {
  const auto examples = test::random_examples(30, vocab_size, 3);
  auto options = without_chance();
  const std::vector<std::vector<Batch>> shards{{test::batch_of(examples)}};
  const auto exact = run(shards, options);
  options.train.recompute = Recompute::all;
  const auto recomputed = run(shards, options);
  CHECK_THAT(recomputed.values, test::close_to(exact.values, {1e-12, 1e-12}));
  for (const auto& [precision, error] :
       {std::pair(Precision::float32, 1e-4), std::pair(Precision::bf16, 0.05)}) {
    options.train.precision = precision;
    const auto gradient = run(shards, options, torch::kFloat32);
    CHECK(gradient.sums.loss == test::Approx(exact.sums.loss).epsilon(error));
    const auto difference = gradient.values.to(torch::kFloat64) - exact.values;
    CHECK((difference.norm() / exact.values.norm()).item<double>() < error);
  }
}

TEST_CASE("an evaluation reads each batch once, without divergence", "[unit]") {
  const auto examples = test::random_examples(6, vocab_size, 3);
  const auto batch = test::batch_of(examples);
  const auto evaluate = [&](const RunOptions& options) {
    auto model = test::seeded_model(options, vocab_size);
    auto workers = test::workers_of(model, options, 1);
    return workers.evaluate({batch}).value();
  };
  const auto plain = evaluate(consistent(Consistency::none, 0.1));
  const auto simcut = evaluate(consistent(Consistency::simcut, 0.1));
  CHECK(simcut.loss == plain.loss);
  CHECK(simcut.consistency == 0.0);
  CHECK(simcut.tokens == plain.tokens);
}

}  // namespace dragoman::consistency_test
