#include "dragoman/analysis/layer_gradients.h"

#include "analysis/small_run.h"
#include "dragoman/analysis/pair_batches.h"

#include <torch/autograd.h>
#include <torch/nn.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace layer_gradients_test {

using namespace dragoman;

namespace {

Batch synthetic_batch(const LoadedRun& run) {
  const std::vector<LinePair> pairs = {{"baten koru", "koru baten vedo"}, {"shimu", "ruzo tegal"}};
  return pair_batches(run.vocabulary, pairs).front();
}

/// The mean loss with all weights of the encoder's first layer moved along `direction`.
double moved_loss(Transformer model, const Batch& batch, const std::vector<at::Tensor>& direction,
                  double by) {
  const torch::NoGradGuard no_gradient;
  auto weights = model->named_parameters();
  std::size_t next = 0;
  for (auto& weight : weights)
    if (weight.key().starts_with("encoder.layers.0.")) weight.value().add_(direction[next++], by);
  const auto log_probs = model->forward(batch.source, batch.source_mask, batch.target_input)
                             .log_softmax(-1)
                             .gather(-1, batch.target_output.unsqueeze(-1))
                             .squeeze(-1);
  const auto loss = -(log_probs * batch.target_mask).sum().item<double>() /
                    static_cast<double>(batch.target_tokens);
  next = 0;
  for (auto& weight : weights)
    if (weight.key().starts_with("encoder.layers.0.")) weight.value().sub_(direction[next++], by);
  return loss;
}

struct NewModel {
  NormPosition norm;
  bool residual;
  std::int64_t layers;
  std::uint64_t seed;
};

/// Norms of a model as initialised.
GradientNorms new_norms(const LoadedRun& run, const Batch& batch, const NewModel& kind) {
  auto options = run.options.model;
  options.d_model = 16;
  options.d_ff = 32;
  options.norm = kind.norm;
  options.residual = kind.residual;
  options.encoder_layers = options.decoder_layers = kind.layers;
  torch::manual_seed(kind.seed);
  return layer_gradients(Transformer(options, run.model->vocabulary()), batch);
}

bool all_positive(const std::vector<double>& norms) {
  return std::ranges::all_of(norms, [](double norm) { return std::isfinite(norm) && norm > 0.0; });
}

double first_to_last(const std::vector<double>& norms) { return norms.front() / norms.back(); }

}  // namespace

TEST_CASE("there is one norm per layer, and no gradient is left behind", "[unit]") {
  const auto run = test::small_run();
  const auto norms = layer_gradients(run.model, synthetic_batch(run));
  CHECK(norms.encoder.size() == 2);
  CHECK(norms.decoder.size() == 2);
  for (const double norm : norms.encoder) CHECK(norm > 0.0);
  for (const auto& weight : run.model->parameters()) CHECK_FALSE(weight.grad().defined());
}

TEST_CASE("with residuals, every layer of a new model has a gradient, pre-norm a similar one",
          "[property]") {
  const auto run = test::small_run();
  const auto batch = synthetic_batch(run);
  for (const std::int64_t layers : {2, 6, 12})
    for (const std::uint64_t seed : {1, 2, 3, 4}) {
      CAPTURE(layers, seed);
      const auto pre = new_norms(run, batch, {NormPosition::pre, true, layers, seed});
      const auto post = new_norms(run, batch, {NormPosition::post, true, layers, seed});
      for (const auto& norms : {pre.encoder, pre.decoder, post.encoder, post.decoder}) {
        CHECK(std::ssize(norms) == layers);
        CHECK(all_positive(norms));
      }
      for (const auto& norms : {pre.encoder, pre.decoder}) {
        CHECK(first_to_last(norms) > 0.5);
        CHECK(first_to_last(norms) < 8.0);
      }
      // With post-norm the gradient falls towards the first layers of a deep decoder.
      if (layers == 12) CHECK(first_to_last(post.decoder) < 0.5);
    }
}

TEST_CASE("without residuals, the gradient of a new decoder vanishes from layer to layer",
          "[property]") {
  const auto run = test::small_run();
  const auto batch = synthetic_batch(run);
  for (const auto norm : {NormPosition::pre, NormPosition::post})
    for (const std::int64_t layers : {2, 6, 12})
      for (const std::uint64_t seed : {1, 2, 3, 4}) {
        CAPTURE(norm, layers, seed);
        const auto norms = new_norms(run, batch, {norm, false, layers, seed});
        CHECK(all_positive(norms.encoder));
        CHECK(std::ranges::all_of(norms.decoder, [](double x) { return std::isfinite(x); }));
        CHECK(norms.decoder.back() > 0.0);
        // Memories of all pieces are nearly the same: the attention to them, and so what comes
        // before it, hardly matters.
        CHECK(first_to_last(norms.decoder) < 0.01);
      }
}

TEST_CASE("the norm of a layer bounds the slope of the loss along its weights", "[gradient]") {
  const auto run = test::small_run();
  auto model = run.model;
  model->to(at::kDouble);
  const auto batch = synthetic_batch(run);
  const double norm = layer_gradients(model, batch).encoder[0];
  // Along the gradient itself the slope is the norm.
  std::vector<at::Tensor> parameters;
  for (const auto& weight : model->named_parameters())
    if (weight.key().starts_with("encoder.layers.0.")) parameters.push_back(weight.value());
  const auto log_probs = model->forward(batch.source, batch.source_mask, batch.target_input)
                             .log_softmax(-1)
                             .gather(-1, batch.target_output.unsqueeze(-1))
                             .squeeze(-1);
  const auto loss =
      -(log_probs * batch.target_mask).sum() / static_cast<double>(batch.target_tokens);
  auto direction = torch::autograd::grad({loss}, parameters);
  for (auto& part : direction) part = part / norm;
  constexpr double step = 1e-5;
  const double slope =
      (moved_loss(model, batch, direction, step) - moved_loss(model, batch, direction, -step)) /
      (2.0 * step);
  CHECK(slope == test::Approx(norm).epsilon(1e-6));
}

}  // namespace layer_gradients_test
