#include "dragoman/tensor/memory_watch.h"
#include "dragoman/tensor/random_stream.h"
#include "dragoman/train/device_update.h"

#include "support/close.h"
#include "support/devices.h"
#include "support/training.h"

namespace dragoman::recomputed_layers_test {

namespace {

constexpr std::int64_t pieces = 23;

RunOptions deep_options() {
  auto options = test::small_model_options(0.3);
  options.model.encoder_layers = 5;
  options.model.decoder_layers = 4;
  return options;
}

Batch random_batch(std::int64_t sentences, std::int64_t source_len, std::int64_t target_len) {
  std::vector<Example> examples(static_cast<std::size_t>(sentences));
  std::int32_t id = 0;
  for (auto& example : examples)
    for (auto* side : {&example.source_ids, &example.target_ids}) {
      const auto length = side == &example.source_ids ? source_len : target_len;
      side->resize(static_cast<std::size_t>(length - (&example - examples.data()) % 3));
      for (auto& piece : *side) piece = 4 + (id = (id * 7 + 5) % 19);
      side->back() = 3;
    }
  return test::batch_of(examples);
}

/// Gradient and loss of one update of two workers, one with two batches.
std::pair<at::Tensor, double> update(const RunOptions& options) {
  auto workers = test::workers_of(test::seeded_model(options, pieces), options, 2);
  const auto gradient = test::gradient_of(
      workers,
      {.shards = {{random_batch(3, 9, 7), random_batch(2, 5, 6)}, {random_batch(4, 6, 8)}},
       .counts = {},
       .next = {}},
      5);
  return {gradient.values, gradient.sums.loss};
}

/// The same on a device, which has one worker.
std::pair<at::Tensor, double> update_on(const c10::Device& device, const RunOptions& options) {
  auto model = test::seeded_model(options, pieces);
  model->to(device);
  auto workers = test::workers_of(model, options, 1);
  Adam adam(workers.weights(), options.train);
  WeightAverage none(workers.weights(), 0.0);
  const UpdateData data{
      .shards = {{random_batch(3, 9, 7), random_batch(4, 6, 8)}}, .counts = {}, .next = {}};
  const auto result = result_of(start_update({.workers = workers, .adam = adam, .average = none},
                                             data, {.learning_rate = 1e-3, .key = 5}, nullptr));
  return {workers.gradient().cpu(), result.sums.loss.loss};
}

void check_equal_updates(RunOptions options) {
  options.train.recompute = Recompute::none;
  const auto [gradient, loss] = update(options);
  REQUIRE(gradient.abs().sum().item<double>() > 0.0);
  for (const auto recompute : {Recompute::all, Recompute::sqrt, Recompute::every}) {
    options.train.recompute = recompute;
    CAPTURE(nlohmann::json(recompute).dump());
    const auto again = update(options);
    CHECK(again.second == loss);
    CHECK(test::same_bits(again.first, gradient));
  }
}

/// Peak memory of a forward and backward pass of a model with the given number of layers.
std::int64_t training_peak(std::int64_t layers, Recompute recompute) {
  auto options = deep_options();
  options.model.d_model = 32;
  options.model.d_ff = 64;
  options.model.encoder_layers = options.model.decoder_layers = layers;
  options.train.recompute = recompute;
  auto model = test::seeded_model(options, pieces);
  const auto segment = options.train.recomputed_layers(layers);
  model->recompute(segment, segment);
  const auto batch = random_batch(16, 24, 24);
  const RandomScope random(1);
  for (auto& parameter : model->parameters())
    parameter.mutable_grad() = torch::zeros_like(parameter);
  const MemoryWatch watch;
  model->forward(batch.source, batch.source_mask, batch.target_input).sum().backward();
  return watch.peak_bytes();
}

}  // namespace

TEST_CASE("recomputed layers give the same loss and gradient as kept ones, bit for bit",
          "[gradient]") {
  check_equal_updates(deep_options());
}

TEST_CASE("recomputed layers on a device give the same loss and gradient as kept ones",
          "[gradient]") {
  auto options = deep_options();
  for (const auto& device : test::other_devices()) {
    options.train.recompute = Recompute::none;
    const auto [gradient, loss] = update_on(device, options);
    REQUIRE(gradient.abs().sum().item<double>() > 0.0);
    for (const auto recompute : {Recompute::all, Recompute::sqrt}) {
      options.train.recompute = recompute;
      CAPTURE(device.str(), nlohmann::json(recompute).dump());
      const auto again = update_on(device, options);
      CHECK(again.second == test::Approx(loss).epsilon(1e-6));
      CHECK_THAT(again.first, test::close_to(gradient, {1e-5, 1e-6}));
    }
  }
}

TEST_CASE("recomputed layers in bf16, pre-norm, with other attentions give the same bits",
          "[gradient]") {
  auto options = deep_options();
  options.train.precision = Precision::bf16;
  check_equal_updates(options);
  options.train.precision = Precision::float32;
  options.model.norm = NormPosition::pre;
  options.model.encoder_attention = nlohmann::json{{"kind", "tiled"}}.get<StackAttention>();
  options.model.decoder_attention =
      nlohmann::json{{"kind", "local"}, {"radius", 2}}.get<StackAttention>();
  check_equal_updates(options);
  options.model.decoder_attention = nlohmann::json{{"kind", "fused_torch"}}.get<StackAttention>();
  check_equal_updates(options);
}

TEST_CASE("memory grows with the number of kept layers, far less with recomputed ones",
          "[property]") {
  const auto kept4 = training_peak(4, Recompute::none), kept16 = training_peak(16, Recompute::none);
  const auto all16 = training_peak(16, Recompute::all), sqrt16 = training_peak(16, Recompute::sqrt);
  CAPTURE(kept4, kept16, all16, sqrt16);
  CHECK(kept16 > 3 * kept4);
  CHECK(4 * all16 < kept16);
  CHECK(2 * sqrt16 < kept16);
}

TEST_CASE("the segments of a stack have one layer, the square root of all, or a given number",
          "[unit]") {
  TrainOptions train;
  CHECK(train.recomputed_layers(6) == 0);
  train.recompute = Recompute::all;
  CHECK(train.recomputed_layers(6) == 1);
  train.recompute = Recompute::sqrt;
  CHECK(train.recomputed_layers(1) == 1);
  CHECK(train.recomputed_layers(6) == 3);
  CHECK(train.recomputed_layers(16) == 4);
  CHECK(train.recomputed_layers(24) == 5);
  train.recompute = Recompute::every;
  train.recompute_every = 4;
  CHECK(train.recomputed_layers(6) == 4);
}

}  // namespace dragoman::recomputed_layers_test
