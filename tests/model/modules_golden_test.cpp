#include "dragoman/model/decoder_layer.h"
#include "dragoman/model/embedding.h"
#include "dragoman/model/encoder_layer.h"
#include "dragoman/tensor/mask.h"

#include "support/golden_module.h"

#include <cmath>
#include <stdexcept>
#include <string>

namespace modules_golden_test {

using dragoman::AttentionMask;
using dragoman::ModelOptions;

namespace {

/// Runs `check(name, golden)` for the cases whose names begin with `prefix`, in both types and on
/// the CPU and another device.
template <typename Check>
void for_cases(const std::string& prefix, const Check& check) {
  for (const auto& name : test::golden_names(prefix))
    for (const auto& place : test::golden_places()) {
      CAPTURE(name, place);
      check(name, test::GoldenCase(name, place));
    }
}

/// A gate multiplies a head's output, which is the same as its columns of W_O: so heads are weighed
/// and pruned.
void check_gated_heads(dragoman::MultiHeadAttention& attention, const test::GoldenCase& golden) {
  const auto gate = golden.input("gate");
  const auto projection = golden.at("weights", "o_proj.weight");
  const auto columns = gate.repeat_interleave(projection.size(1) / gate.size(0));
  torch::Tensor(attention->named_parameters()[test::place_of("o_proj.weight")])
      .set_data(projection * columns);
  const auto x = golden.input("x_q");
  CHECK_THAT(attention->forward(x, attention->project(x)), test::close_to(golden.output("out")));
}

void check_multi_head(const std::string&, const test::GoldenCase& golden) {
  auto options = test::golden_options(golden);
  options.attention_bias = golden.has("weights", "q_proj.bias");
  dragoman::MultiHeadAttention attention(options);
  test::load_golden(*attention, golden);
  if (golden.has("inputs", "gate")) return check_gated_heads(attention, golden);
  const auto query = golden.variable("x_q");
  const bool cross = golden.has("inputs", "x_kv");
  const auto memory = cross ? golden.variable("x_kv") : query;
  std::vector<at::Tensor> maps;
  const auto output =
      attention->forward(query, attention->project(memory),
                         AttentionMask::from(golden.optional_input("allow"), golden.type()), &maps);
  CHECK_THAT(output, test::close_to(golden.output("out")));
  CHECK_THAT(maps.at(0), test::close_to(golden.output("weights")));
  output.backward(golden.grad_output());
  CHECK_THAT(query.grad(), test::close_to(golden.at("grads", "x_q")));
  if (cross) CHECK_THAT(memory.grad(), test::close_to(golden.at("grads", "x_kv")));
  test::check_gradients(*attention, golden, test::tolerance_of(golden.type()));
}

void check_encoder_layer(const std::string&, const test::GoldenCase& golden) {
  dragoman::EncoderLayer layer(test::golden_options(golden));
  test::load_golden(*layer, golden, "encoder.");
  const auto x = golden.variable("x");
  const auto valid = golden.input("valid").unsqueeze(2);
  std::vector<at::Tensor> maps;
  const auto out =
      layer->forward(x, AttentionMask::from(golden.input("allow"), golden.type()), &maps);
  CHECK_THAT(out * valid, test::close_to(golden.output("out") * valid));
  CHECK_THAT(maps.at(0), test::close_to(golden.output("weights")));
  out.backward(golden.grad_output());
  CHECK_THAT(x.grad(), test::close_to(golden.at("grads", "x")));
  test::check_gradients(*layer, golden, test::tolerance_of(golden.type()), "encoder.");
}

void check_decoder_layer(const std::string&, const test::GoldenCase& golden) {
  dragoman::DecoderLayer layer(test::golden_options(golden));
  test::load_golden(*layer, golden, "decoder.");
  const auto x = golden.variable("x"), memory = golden.variable("memory");
  const auto valid = golden.input("valid").unsqueeze(2);
  dragoman::AttentionRecord record;
  const auto out =
      layer->forward(x, memory, AttentionMask::from(golden.input("self_allow"), golden.type()),
                     AttentionMask::from(golden.input("cross_allow"), golden.type()), &record);
  CHECK_THAT(out * valid, test::close_to(golden.output("out") * valid));
  CHECK_THAT(record.decoder_self.at(0), test::close_to(golden.output("self_weights")));
  CHECK_THAT(record.cross.at(0), test::close_to(golden.output("cross_weights")));
  out.backward(golden.grad_output());
  CHECK_THAT(x.grad(), test::close_to(golden.at("grads", "x")));
  CHECK_THAT(memory.grad(), test::close_to(golden.at("grads", "memory")));
  test::check_gradients(*layer, golden, test::tolerance_of(golden.type()), "decoder.");
}

/// The activation in a name such as "ffn_gelu_tanh": the longest that is in it.
dragoman::Activation activation_in(const std::string& name) {
  for (const std::string activation : {"gelu_tanh", "gelu_sigmoid", "gelu", "relu", "swish"})
    if (name.find('_' + activation) != std::string::npos)
      return nlohmann::json(activation).get<dragoman::Activation>();
  throw std::runtime_error(name + ": no known activation");
}

void check_feed_forward(const std::string& name, const test::GoldenCase& golden) {
  auto options = test::golden_options(golden);
  options.activation = activation_in(name);
  dragoman::FeedForward network(options, options.d_ff);
  test::load_golden(*network, golden);
  const auto x = golden.variable("x");
  const auto out = network->forward(x);
  CHECK_THAT(out, test::close_to(golden.output("out")));
  auto& outer = dynamic_cast<dragoman::LinearImpl&>(*network->named_children()["outer"]);
  CHECK_THAT(outer.forward(golden.output("hidden")), test::close_to(out));
  out.backward(golden.grad_output());
  CHECK_THAT(x.grad(), test::close_to(golden.at("grads", "x")));
  test::check_gradients(*network, golden, test::tolerance_of(golden.type()));
}

/// What the result of a norm, or the gradient of its weight, may differ by. A constant row is
/// normalised to zero, but here to the rounding of its mean by 1 / sqrt(eps), times `factor`.
test::Tolerance norm_tolerance(const test::GoldenCase& golden, const torch::Tensor& factor) {
  auto tolerance = test::tolerance_of(golden.type());
  const auto x = golden.input("x");
  const auto size = x.size(-1);
  const auto constant = x.eq(x.narrow(-1, 0, 1)).all(-1, /*keepdim=*/true);
  const auto products = (x.abs() * factor.abs() * constant).view({-1, size}).sum(0);
  tolerance.absolute +=
      std::ldexp(products.max().item<double>(), golden.type() == at::kFloat ? -23 : -52) /
      std::sqrt(golden.params().at("eps").get<double>());
  return tolerance;
}

void check_layer_norm(const std::string&, const test::GoldenCase& golden) {
  dragoman::LayerNorm norm(golden.input("x").size(-1), golden.params().at("eps").get<double>());
  norm->to(golden.device());
  const auto parameters = norm->named_parameters();
  for (const auto& weight : parameters)
    torch::Tensor(weight.value()).set_data(golden.at("weights", "norm." + weight.key()));
  const auto x = golden.variable("x");
  const auto out = norm->forward(x);
  CHECK_THAT(out, test::close_to(golden.output("out"),
                                 norm_tolerance(golden, golden.at("weights", "norm.weight"))));
  out.backward(golden.grad_output());
  CHECK_THAT(x.grad(), test::close_to(golden.at("grads", "x")));
  CHECK(golden.json().at("grads").size() == parameters.size() + 1);
  for (const auto& weight : parameters) {
    const auto tolerance = weight.key() == "weight" ? norm_tolerance(golden, golden.grad_output())
                                                    : test::tolerance_of(golden.type());
    CHECK_THAT(weight->grad(),
               test::close_to(golden.at("grads", "norm." + weight.key()), tolerance));
  }
}

void check_embedding(const std::string&, const test::GoldenCase& golden) {
  auto options = test::golden_options(golden);
  if (golden.has("weights", "pos_embed.weight")) {
    options.position = dragoman::Position::learned;
    options.max_positions = golden.at("weights", "pos_embed.weight").size(0);
  }
  dragoman::PositionalEncoding positions(options);
  dragoman::Embedding embedding(options, golden.at("weights", "embed.weight").size(0), positions);
  embedding->to(golden.device(), golden.type());
  torch::Tensor(embedding->weight()).set_data(golden.at("weights", "embed.weight"));
  for (auto& table : positions->parameters())
    table.set_data(golden.at("weights", "pos_embed.weight"));
  const auto out = embedding->forward(golden.input("ids"));
  CHECK_THAT(out, test::close_to(golden.output("out")));
  out.backward(golden.grad_output());
  CHECK_THAT(embedding->weight().grad(), test::close_to(golden.at("grads", "embed.weight")));
  const auto of_padding = embedding->weight().grad()[test::golden_pad(golden)];
  CHECK(of_padding.abs().max().item<double>() == 0.0);
  for (auto& table : positions->parameters())
    CHECK_THAT(table.grad(), test::close_to(golden.at("grads", "pos_embed.weight")));
}

}  // namespace

TEST_CASE("multi-head attention has the golden results and gradients", "[golden]") {
  for_cases("mha_", check_multi_head);
}
TEST_CASE("encoder layers have the golden results and gradients", "[golden]") {
  for_cases("encoder_layer_", check_encoder_layer);
}
TEST_CASE("decoder layers have the golden results and gradients", "[golden]") {
  for_cases("decoder_layer_", check_decoder_layer);
}
TEST_CASE("feed-forward networks have the golden results and gradients", "[golden]") {
  for_cases("ffn_", check_feed_forward);
}
TEST_CASE("layer norm has the golden results and gradients", "[golden]") {
  for_cases("layer_norm", check_layer_norm);
}
TEST_CASE("embeddings have the golden results and gradients", "[golden]") {
  for_cases("embedding_", check_embedding);
}

}  // namespace modules_golden_test
