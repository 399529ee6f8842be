// `update` against a replica: the same updates by LibTorch's plain operations in float64, in one
// thread, with every formula written out here.
#include "dragoman/optimizer/schedule.h"

#include "support/close.h"
#include "support/thread_group.h"
#include "support/training.h"

#include <cmath>
#include <mutex>
#include <numbers>
#include <stdexcept>

namespace dragoman::update_test {

namespace {

constexpr std::int64_t vocab_size = 19;
constexpr std::int64_t updates = 3;

/// How the updates are divided, and in which type they are computed.
struct Division {
  std::int64_t ranks = 1, workers = 1;
  at::ScalarType type = torch::kFloat64;
};

/// The state after all updates.
struct Trained {
  std::vector<double> losses;  ///< of each update, per token
  std::vector<double> norms;
  std::map<std::string, at::Tensor> weights, average;
};

StreamOptions stream_of(const RunOptions& options, const Division& division, std::int64_t rank) {
  return {.limits = {.tokens = division.ranks * options.train.batch_tokens},
          .accumulate = options.train.accumulate,
          .shards = division.workers,
          .first_shard = rank * division.workers,
          .all_shards = division.ranks * division.workers,
          .seed = 5,
          .source_special = {},
          .target_special = {}};
}

/// The program: each rank its workers, all together.
Trained train_by_update(const RunOptions& options, const Division& division) {
  Trained trained;
  std::mutex mutex;
  const auto examples = test::random_examples(40, vocab_size, 11);
  test::run_ranks(division.ranks, [&](Communicator& group) {
    Transformer model{nullptr};
    {
      const std::lock_guard lock(mutex);  // the generator of the weights is the process's
      model = test::seeded_model(options, vocab_size, division.type);
    }
    auto workers = test::workers_of(model, options, division.workers);
    if (group.size() > 1)
      workers.join(group, {.workers = division.workers,
                           .first = group.rank() * division.workers,
                           .all = division.ranks * division.workers});
    Adam adam(workers.weights(), options.train);
    WeightAverage average(workers.weights(), options.train.ema_decay);
    TrainingStream stream(examples, stream_of(options, division, group.rank()), {});
    for (std::int64_t step = 1; step <= updates; ++step) {
      const auto result =
          update({.workers = workers, .adam = adam, .average = average}, stream.next(),
                 {.learning_rate = learning_rate(options.train, options.model.d_model, step),
                  .clip_norm = options.train.clip_norm});
      if (!result.applied) throw std::runtime_error("an update was skipped");
      if (group.rank() != group.size() - 1) continue;  // all ranks have the same
      const auto& loss = result.sums.loss;
      trained.losses.push_back(loss.loss / static_cast<double>(loss.tokens));
      trained.norms.push_back(result.gradient_norm);
    }
    if (group.rank() != group.size() - 1) return;
    const auto copy = [&](const at::Tensor& flat) {
      return workers.parameters().named(flat.to(torch::kFloat64, false, /*copy=*/true));
    };
    trained.weights = copy(workers.weights());
    if (average.enabled()) trained.average = copy(average.values());
  });
  return trained;
}

/// The cross-entropy against the smoothed target, summed over the real tokens of a batch.
at::Tensor plain_loss(Transformer& model, const Batch& batch, double eps) {
  const auto logits = model->forward(batch.source, batch.source_mask, batch.target_input);
  const auto log_probs = torch::log_softmax(logits, -1);
  const auto q = torch::one_hot(batch.target_output, vocab_size).to(torch::kFloat64) * (1.0 - eps) +
                 eps / static_cast<double>(vocab_size);
  return -((q * log_probs).sum(-1) * batch.target_mask).sum();
}

/// The rate of an update, written out.
double plain_rate(const TrainOptions& options, double d_model, double step) {
  const double warmup = static_cast<double>(options.warmup_steps);
  const double rise = std::min(step / warmup, 1.0);
  const double decayed = std::min(
      std::max(0.0, (step - warmup) / (static_cast<double>(options.decay_steps) - warmup)), 1.0);
  switch (options.schedule) {
    case Schedule::noam:
      return options.learning_rate / std::sqrt(d_model) *
             std::min(1.0 / std::sqrt(step), step / std::pow(warmup, 1.5));
    case Schedule::inverse_sqrt:
      return options.learning_rate * std::min(step / warmup, std::sqrt(warmup / step));
    case Schedule::linear: return options.learning_rate * std::min(rise, 1.0 - decayed);
    case Schedule::cosine:
      return options.learning_rate *
             std::min(rise, 0.5 + 0.5 * std::cos(std::numbers::pi * decayed));
    case Schedule::constant: return options.learning_rate * rise;
  }
  return 0.0;
}

/// The replica: all batches of an update one after another.
Trained train_plainly(const RunOptions& options, const Division& division) {
  auto model = test::seeded_model(options, vocab_size, torch::kFloat64);
  model->train();
  const auto examples = test::random_examples(40, vocab_size, 11);
  std::vector<std::unique_ptr<TrainingStream>> streams;
  for (std::int64_t rank = 0; rank < division.ranks; ++rank)
    streams.push_back(std::make_unique<TrainingStream>(examples, stream_of(options, division, rank),
                                                       StreamPosition{}));
  const auto& train = options.train;
  Trained trained;
  std::map<std::string, at::Tensor> first, second;
  const auto parameters = model->named_parameters();
  for (const auto& item : parameters) {
    first[item.key()] = torch::zeros_like(item.value());
    second[item.key()] = torch::zeros_like(item.value());
    trained.average[item.key()] = item.value().detach().clone();
  }
  for (std::int64_t step = 1; step <= updates; ++step) {
    model->zero_grad();
    at::Tensor sum = torch::zeros({}, torch::kFloat64);
    double tokens = 0.0;
    for (auto& stream : streams)
      for (const auto& shard : stream->next().shards)
        for (const auto& batch : shard) {
          sum = sum + plain_loss(model, batch, train.label_smoothing);
          tokens += batch.target_mask.sum().item<double>();
        }
    const auto mean = sum / tokens;
    mean.backward();
    double squares = 0.0;
    for (const auto& item : parameters) squares += item.value().grad().pow(2).sum().item<double>();
    const double norm = std::sqrt(squares);
    trained.losses.push_back(mean.item<double>());
    trained.norms.push_back(norm);
    const double clip =
        train.clip_norm > 0.0 && norm > train.clip_norm ? train.clip_norm / (norm + 1e-6) : 1.0;
    const auto n = static_cast<double>(step);
    const double rate = plain_rate(train, static_cast<double>(options.model.d_model), n);
    const double decay = std::min(train.ema_decay, (1.0 + n) / (10.0 + n));
    const torch::NoGradGuard no_gradients;
    for (const auto& item : parameters) {
      auto weight = item.value();
      const auto g = weight.grad() * clip;
      auto &m = first[item.key()], &v = second[item.key()];
      m = train.beta1 * m + (1.0 - train.beta1) * g;
      v = train.beta2 * v + (1.0 - train.beta2) * g * g;
      const auto m_hat = m / (1.0 - std::pow(train.beta1, n));
      const auto v_hat = v / (1.0 - std::pow(train.beta2, n));
      weight.mul_(1.0 - rate * train.weight_decay);
      weight.sub_(rate * m_hat / (v_hat.sqrt() + train.adam_eps));
      auto& average = trained.average[item.key()];
      average = decay * average + (1.0 - decay) * weight;
    }
  }
  for (const auto& item : parameters) trained.weights[item.key()] = item.value().detach().clone();
  return trained;
}

struct Tolerances {
  double loss, norm, weights;
};

void check_equal(const RunOptions& options, const Division& division, const Tolerances& within) {
  const auto plain = train_plainly(options, division);
  const auto trained = train_by_update(options, division);
  REQUIRE(trained.losses.size() == static_cast<std::size_t>(updates));
  for (std::size_t i = 0; i < plain.losses.size(); ++i) {
    CHECK(trained.losses[i] == test::Approx(plain.losses[i]).epsilon(within.loss));
    CHECK(trained.norms[i] == test::Approx(plain.norms[i]).epsilon(within.norm));
  }
  for (const auto& [name, weight] : plain.weights) {
    CAPTURE(name);
    CHECK_THAT(trained.weights.at(name), test::close_to(weight, {0.0, within.weights}));
    if (options.train.ema_decay > 0.0)
      CHECK_THAT(trained.average.at(name),
                 test::close_to(plain.average.at(name), {0.0, within.weights}));
  }
}

RunOptions small_options() {
  RunOptions options;
  options.model.d_model = 8;
  options.model.d_ff = 12;
  options.model.num_heads = 2;
  options.model.encoder_layers = options.model.decoder_layers = 1;
  options.model.dropout = 0.0;
  options.train.batch_tokens = 30;
  options.train.learning_rate = 0.01;
  options.train.warmup_steps = 2;
  options.train.decay_steps = 4;
  options.train.weight_decay = 0.01;
  // Large enough that rounding errors of gradients that are nearly 0 do not become steps.
  options.train.adam_eps = 1e-4;
  return options;
}

}  // namespace

TEST_CASE("three updates equal a plain replica for all workers, ranks, schedules and options",
          "[property]") {
  auto options = small_options();
  for (const std::int64_t ranks : {1, 2})
    for (const std::int64_t workers : {1, 2, 3})
      for (const std::int64_t accumulate : {1, 3})
        for (const auto schedule : {Schedule::noam, Schedule::inverse_sqrt, Schedule::linear,
                                    Schedule::cosine, Schedule::constant})
          for (const bool clipped_and_averaged : {false, true}) {
            options.train.accumulate = accumulate;
            options.train.schedule = schedule;
            options.train.clip_norm = clipped_and_averaged ? 0.3 : 0.0;
            options.train.ema_decay = clipped_and_averaged ? 0.9 : 0.0;
            CAPTURE(ranks, workers, accumulate, nlohmann::json(schedule).dump(),
                    clipped_and_averaged);
            check_equal(options, {.ranks = ranks, .workers = workers}, {1e-9, 1e-9, 1e-8});
          }
}

TEST_CASE("three updates in float32 and bf16 stay near a float64 replica", "[property]") {
  auto options = small_options();
  options.train.clip_norm = 0.5;
  options.train.ema_decay = 0.5;
  options.train.accumulate = 2;
  for (const std::int64_t ranks : {1, 2})
    for (const std::int64_t workers : {1, 2}) {
      CAPTURE(ranks, workers);
      const Division division{.ranks = ranks, .workers = workers, .type = torch::kFloat32};
      options.train.precision = Precision::float32;
      check_equal(options, division, {1e-6, 1e-5, 2e-5});
      options.train.precision = Precision::bf16;
      check_equal(options, division, {1e-2, 5e-2, 2e-2});
    }
}

TEST_CASE("an update whose loss is not finite changes nothing", "[unit]") {
  const auto options = small_options();
  const auto examples = test::random_examples(40, vocab_size, 11);
  const auto model = test::seeded_model(options, vocab_size, torch::kFloat32);
  auto workers = test::workers_of(model, options, 2);
  Adam adam(workers.weights(), options.train);
  WeightAverage average(workers.weights(), 0.5);
  TrainingStream stream(examples, stream_of(options, {.workers = 2}, 0), {});
  workers.weights()[3] = HUGE_VAL;
  const auto before = workers.weights().clone(), averaged = average.values().clone();
  const auto result = update({.workers = workers, .adam = adam, .average = average}, stream.next(),
                             {.learning_rate = 0.1});
  CHECK_FALSE(result.applied);
  CHECK(adam.steps() == 0);
  CHECK(test::same_bits(workers.weights(), before));
  CHECK(test::same_bits(average.values(), averaged));
}

}  // namespace dragoman::update_test
