#include "dragoman/analysis/layer_gradients.h"

#include "analysis/small_run.h"
#include "dragoman/analysis/pair_batches.h"

#include <torch/autograd.h>
#include <torch/nn.h>

#include <cmath>

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

}  // namespace

TEST_CASE("there is one norm per layer, and no gradient is left behind", "[unit]") {
  const auto run = test::small_run();
  const auto norms = layer_gradients(run.model, synthetic_batch(run));
  CHECK(norms.encoder.size() == 2);
  CHECK(norms.decoder.size() == 2);
  for (const double norm : norms.encoder) CHECK(norm > 0.0);
  for (const auto& weight : run.model->parameters()) CHECK_FALSE(weight.grad().defined());
}

TEST_CASE("XXmeasure") {
  const auto batch = synthetic_batch(test::small_run());
  for (const auto norm : {NormPosition::pre, NormPosition::post})
    for (const bool residual : {true, false})
      for (const std::int64_t layers : {2, 6, 12})
        for (const std::int64_t d : {16, 32})
          for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6, 7, 8}) {
            auto options = test::small_run().options.model;
            options.norm = norm;
            options.residual = residual;
            options.d_model = d;
            options.d_ff = 2 * d;
            options.encoder_layers = options.decoder_layers = layers;
            torch::manual_seed(seed);
            Transformer model(options, VocabularySizes{40, 40});
            const auto n = layer_gradients(model, batch);
            auto [mn, mx] = std::minmax_element(n.encoder.begin(), n.encoder.end());
            auto [dn, dx] = std::minmax_element(n.decoder.begin(), n.decoder.end());
            std::printf(
                "XX %s res=%d N=%2d d=%d: enc %.3g..%.3g f/l %.4g  min %.3g max %.3g | dec f/l "
                "%.4g min %.3g max %.3g\n",
                norm == NormPosition::pre ? "pre" : "post", residual, (int)layers, (int)d,
                n.encoder.front(), n.encoder.back(), n.encoder.front() / n.encoder.back(), *mn, *mx,
                n.decoder.front() / n.decoder.back(), *dn, *dx);
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
