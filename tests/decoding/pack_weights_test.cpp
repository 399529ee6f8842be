#include "dragoman/decoding/pack_weights.h"

#include "dragoman/model/linear.h"
#include "support/close.h"

#include <set>
#include <string>

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
torch::Tensor logits_of(Transformer model) {
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

TEST_CASE("a model with packed weights gives the results of the model", "[property]") {
  const auto model = small_model();
  const auto expected = logits_of(model);
  CHECK_THAT(logits_of(with_packed_weights(model, WeightType::float32)),
             test::close_to(expected, {1e-5, 1e-5}));
  CHECK(relative_error(logits_of(with_packed_weights(model, WeightType::bf16)), expected) < 0.01);
  const auto int8 = logits_of(with_packed_weights(model, WeightType::int8));
  CHECK(relative_error(int8, expected) < 0.02);
  CHECK_FALSE(test::same_bits(int8, expected));
}

TEST_CASE("packing changes neither the model nor another packed copy of it", "[property]") {
  const auto model = small_model();
  const auto expected = logits_of(model);
  const auto bf16 = with_packed_weights(model, WeightType::bf16);
  const auto expected_bf16 = logits_of(bf16);
  const auto int8 = with_packed_weights(model, WeightType::int8);
  CHECK(test::same_bits(logits_of(model), expected));
  CHECK(test::same_bits(logits_of(bf16), expected_bf16));
  CHECK_FALSE(test::same_bits(logits_of(int8), expected_bf16));
}

TEST_CASE("packing draws no random numbers", "[property]") {
  ModelOptions options;
  options.d_model = 16;
  options.d_ff = 32;
  options.num_heads = 2;
  options.encoder_layers = options.decoder_layers = 1;
  options.encoder_attention.layers.front().common = {
      .kind = dragoman::AttentionKind::low_rank, .rank = 3, .max_length = 16};
  const Transformer model(options, dragoman::VocabularySizes{pieces, pieces});
  torch::manual_seed(3);
  const auto expected = torch::rand({4});
  torch::manual_seed(3);
  with_packed_weights(model, WeightType::int8);
  CHECK(test::same_bits(torch::rand({4}), expected));
}

TEST_CASE("a packed copy holds no matrix that it packed and shares the other parameters",
          "[property]") {
  const auto model = small_model();
  const auto packed = with_packed_weights(model, WeightType::int8);
  std::set<std::string> matrices;
  for (const auto& module : packed->named_modules())
    if (module.value()->as<dragoman::LinearImpl>() || module.value()->as<dragoman::GeneratorImpl>())
      matrices.insert(module.key() + ".weight");
  const auto parameters = packed->named_parameters();
  REQUIRE(parameters.size() == model->named_parameters().size());
  for (const auto& parameter : model->named_parameters()) {
    CAPTURE(parameter.key());
    const auto& own = parameters[parameter.key()];
    if (matrices.contains(parameter.key()))
      CHECK(own.numel() == 0);
    else
      CHECK(own.data_ptr() == parameter.value().data_ptr());
  }
}

}  // namespace pack_weights_test
