// Dropout place by place (section 5.4): where it acts, on what share, how often.
#include "dragoman/model/add_norm.h"
#include "dragoman/model/embedding.h"
#include "dragoman/model/feed_forward.h"
#include "dragoman/model/multi_head_attention.h"
#include "dragoman/model/transformer.h"
#include "dragoman/tensor/random_stream.h"

#include "support/golden_module.h"

#include <cmath>

namespace dropout_places_test {

using namespace dragoman;

namespace {

constexpr double rate = 0.3;
constexpr std::int64_t width = 32;

using Place = double ModelOptions::*;

/// Dropout at one place alone.
ModelOptions dropping_at(Place place) {
  auto options = test::golden_options();
  options.d_model = options.d_ff = width;
  options.num_heads = 1;
  options.norm = NormPosition::pre;
  options.position = Position::none;
  options.*place = rate;
  return options;
}

void set_identity(torch::nn::Module& module, const std::string& linear) {
  const torch::NoGradGuard no_gradient;
  for (auto& item : module.named_parameters())
    if (item.key().starts_with(linear)) {
      auto weight = item.value();
      weight.dim() == 2 ? weight.copy_(torch::eye(width)) : weight.zero_();
    }
}

/// A share `rate` of the elements is 0, within five standard errors; the others are those of
/// `plain` divided by 1 - `rate`, so that the mean is kept.
void check_dropped(const torch::Tensor& dropped, const torch::Tensor& plain) {
  REQUIRE(dropped.sizes() == plain.sizes());
  REQUIRE(plain.abs().min().item<double>() > 0.0);
  const auto count = static_cast<double>(plain.numel());
  const auto zeros = (dropped == 0);
  const double error = 5.0 * std::sqrt(rate * (1.0 - rate) / count);
  CHECK(std::abs(zeros.sum().item<double>() / count - rate) < error);
  const auto kept = torch::where(zeros, torch::zeros_like(plain), plain / (1.0 - rate));
  CHECK_THAT(dropped, test::close_to(kept, {1e-5, 1e-7}));
  // The mean of what is 0 or x / (1 - rate) has a variance of x^2 rate / (1 - rate) an element.
  const double spread = std::sqrt(plain.square().sum().item<double>() * rate / (1.0 - rate));
  CHECK(std::abs(dropped.sum().item<double>() - plain.sum().item<double>()) < 5.0 * spread);
}

/// How many streams of random numbers a pass draws: one for each application of dropout.
template <typename Pass>
std::int64_t applications(Pass&& pass) {
  const RandomScope scope(11);
  pass();
  return static_cast<std::int64_t>(random_position().calls);
}

}  // namespace

TEST_CASE("the sum of embedding and position is dropped at its own rate", "[property]") {
  torch::manual_seed(2);
  auto options = dropping_at(&ModelOptions::embedding_dropout);
  options.position = Position::sinusoidal;
  Embedding embedding(options, 50, PositionalEncoding(options));
  const auto ids = torch::randint(50, {40, 60});
  embedding->eval();
  const auto plain = embedding->forward(ids);
  embedding->train();
  check_dropped(embedding->forward(ids), plain);
}

TEST_CASE("a sub-layer's output is dropped before it is added, not what it is added to",
          "[property]") {
  torch::manual_seed(2);
  const auto x = torch::randn({40, 60, width}), change = torch::randn({40, 60, width});
  for (const bool residual : {true, false}) {
    CAPTURE(residual);
    auto options = dropping_at(&ModelOptions::residual_dropout);
    options.residual = residual;
    AddNorm add_norm(options);
    add_norm->train();
    const auto sum = add_norm->after(x, change);
    if (!residual) {
      check_dropped(sum, change);
      continue;
    }
    // x + 0 is x itself; elsewhere the difference is rounded.
    const auto added = torch::where(sum == x, torch::zeros_like(x), change / (1.0 - rate));
    CHECK_THAT(sum, test::close_to(x + added, {1e-5, 1e-6}));
    check_dropped(added, change);
  }
}

TEST_CASE("the feed-forward network drops its features after the activation", "[property]") {
  torch::manual_seed(2);
  FeedForward network(dropping_at(&ModelOptions::activation_dropout), width);
  for (const char* linear : {"inner", "outer"}) set_identity(*network, linear);
  const auto x = torch::rand({40, 60, width}) + 0.1;
  network->train();
  check_dropped(network->forward(x), x);
}

TEST_CASE("attention drops its weights after the softmax", "[property]") {
  torch::manual_seed(2);
  MultiHeadAttention attention(dropping_at(&ModelOptions::attention_dropout));
  for (const char* linear : {"query", "key", "value", "output"}) set_identity(*attention, linear);
  // With unit vectors as values, the output is the weights.
  const auto memory = torch::eye(width).expand({50, width, width});
  const auto query = torch::randn({50, 40, width});
  attention->eval();
  const auto plain = attention->forward(query, attention->project(memory));
  CHECK_THAT(plain.sum(-1), test::close_to(torch::ones({50, 40}), {1e-5, 1e-6}));
  attention->train();
  check_dropped(attention->forward(query, attention->project(memory)), plain);
}

TEST_CASE("each place drops as often in a model as figure 1 of the paper has it", "[property]") {
  auto options = test::golden_options();
  options.encoder_layers = 2;
  options.decoder_layers = 3;
  const auto source = torch::randint(4, 19, {2, 6}), target = torch::randint(4, 19, {2, 5});
  const auto drawn = [&](Place place, bool training) {
    auto with = options;
    if (place != nullptr) with.*place = 0.5;
    Transformer model(with, VocabularySizes{19, 19});
    model->train(training);
    return applications(
        [&] { model->forward(source, torch::ones_like(source, torch::kBool), target); });
  };
  const auto encoder = options.encoder_layers, decoder = options.decoder_layers;
  const std::vector<std::pair<Place, std::int64_t>> expected = {
      {&ModelOptions::embedding_dropout, 2},                         // source and target
      {&ModelOptions::residual_dropout, 2 * encoder + 3 * decoder},  // sub-layers
      {&ModelOptions::activation_dropout, encoder + decoder},        // feed-forward networks
      {&ModelOptions::attention_dropout, encoder + 2 * decoder}};    // attentions
  std::int64_t all = 0;
  for (const auto& [place, count] : expected) {
    CAPTURE(count);
    CHECK(drawn(place, true) == count);
    CHECK(drawn(place, false) == 0);
    all += count;
  }
  CHECK(drawn(&ModelOptions::dropout, true) == all);
  CHECK(drawn(nullptr, true) == 0);
}

}  // namespace dropout_places_test
