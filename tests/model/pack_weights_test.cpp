#include "dragoman/model/pack_weights.h"

#include "support/close.h"

namespace pack_weights_test {

using dragoman::ModelOptions;
using dragoman::Transformer;
using dragoman::WeightType;

namespace {

constexpr std::int64_t pieces = 70;

Transformer small_model() {
  ModelOptions options;
  options.d_model = 64;
  options.d_ff = 96;
  options.num_heads = 4;
  options.encoder_layers = options.decoder_layers = 2;
  torch::manual_seed(8);
  Transformer model(options, dragoman::VocabularySizes{pieces, pieces});
  model->eval();
  return model;
}

/// Logits of a whole forward pass.
torch::Tensor logits_of(Transformer& model) {
  const torch::NoGradGuard no_gradient;
  torch::manual_seed(9);
  const auto source = torch::randint(4, pieces, {3, 7}), target = torch::randint(4, pieces, {3, 5});
  return model->forward(source, torch::ones_like(source, torch::kBool), target);
}

/// Norm of the difference relative to that of the expected values.
double relative_error(const torch::Tensor& actual, const torch::Tensor& expected) {
  return ((actual - expected).norm() / expected.norm()).item<double>();
}

}  // namespace

TEST_CASE("a model with packed weights gives the same results as before", "[property]") {
  auto model = small_model();
  const auto expected = logits_of(model);
  pack_weights(*model, WeightType::float32);
  CHECK_THAT(logits_of(model), test::close_to(expected, {1e-5, 1e-5}));
  pack_weights(*model, WeightType::bf16);
  CHECK(relative_error(logits_of(model), expected) < 0.01);
  pack_weights(*model, WeightType::int8);
  CHECK(relative_error(logits_of(model), expected) < 0.02);
  CHECK_FALSE(test::same_bits(logits_of(model), expected));
}

TEST_CASE("packing leaves the saved parameters unchanged", "[property]") {
  auto model = small_model(), packed = small_model();
  pack_weights(*packed, WeightType::int8);
  const auto before = model->named_parameters(), after = packed->named_parameters();
  REQUIRE(before.size() == after.size());
  for (const auto& parameter : before)
    CHECK(test::same_bits(after[parameter.key()], parameter.value()));
}

}  // namespace pack_weights_test
