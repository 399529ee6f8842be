#include "analysis/tutorial_checks.h"
#include "dragoman/core/concat.h"
#include "dragoman/model/layer_norm.h"
#include "dragoman/model/multi_head_attention.h"
#include "dragoman/model/parameter_count.h"

namespace test {

namespace tutorial_layers {

namespace {

using dragoman::concat;
using dragoman::ModelOptions;
using dragoman::parameter_count;
using dragoman::ParameterCount;
using dragoman::ShareEmbeddings;

at::Tensor normalised(const at::Tensor& x, double eps) {
  dragoman::LayerNorm norm(x.size(0), eps);
  norm->to(at::kDouble);
  return norm->forward(x).detach();
}

/// Names such as "eps_1e-5" give eps. Mean and deviation are those that x was normalised by.
void check_layer_norm(TutorialCase& example) {
  const std::string eps_follows = "eps_";
  const auto x = example.input_tensor("x");
  const auto plain = normalised(x, 0.0);
  const auto sigma = (x.max() - x.min()) / (plain.max() - plain.min());
  example.check("sigma", sigma);
  example.check("mean", x[0] - sigma * plain[0]);
  example.check("no_eps", plain);
  for (const auto& [name, stored] : example.all_correct().items())
    if (name.starts_with(eps_follows))
      example.check(name, normalised(x, std::stod(name.substr(eps_follows.size()))));
}

ModelOptions attention_of(std::int64_t d_model, std::int64_t num_heads) {
  ModelOptions options;
  options.d_model = d_model;
  options.num_heads = num_heads;
  return options;
}

void check_head_width(TutorialCase& example) {
  const auto options = attention_of(example.correct("d_model"), example.correct("heads"));
  CHECK_NOTHROW(options.validate());
  example.check_equal("d_k", options.key_width());
}

/// One attention has 4 d_model^2 weights for any number of heads.
void check_attention_weights(TutorialCase& example) {
  const auto d_model = example.stated_size("d_model "), num_heads = example.stated_size("h ");
  const auto options = attention_of(d_model, num_heads);
  CHECK(options.key_width() == example.stated_size("d_k "));
  dragoman::MultiHeadAttention attention(options);
  const auto parameters = attention->named_parameters();
  const auto of_heads = [&] {
    std::int64_t weights = 0;
    for (const char* name : {"query.weight", "key.weight", "value.weight"})
      weights += parameters[name].numel();
    return weights;
  };
  example.check_equal("per_head", of_heads() / num_heads);
  example.check_equal("output_projection", parameters["output.weight"].numel());
  for (std::int64_t heads = 1; heads <= d_model; heads *= 2) {
    if (d_model % heads != 0) continue;
    const auto count = parameter_count(attention_of(d_model, heads), {}).attention;
    example.check_equal("total", count.weights);
    example.check_equal("total_with_biases", count.total());
  }
}

/// "d_model_8_h_2" is the number of weights of that attention.
void check_formula(TutorialCase& example) {
  for (const auto& [name, stored] : example.all_correct().items()) {
    if (!name.starts_with("d_model_")) continue;
    const std::int64_t d_model = std::stoll(name.substr(std::string("d_model_").size()));
    const std::int64_t heads = std::stoll(name.substr(name.find("_h_") + 3));
    const auto count = parameter_count(attention_of(d_model, heads), {}).attention;
    example.check_equal(name, count.weights);
    REQUIRE(count.weights % (d_model * d_model) == 0);
    example.check_equal("formula", concat(count.weights / (d_model * d_model), "*d_model^2 (+",
                                          count.biases / d_model, "*d_model biases), whatever h"));
  }
}

/// A head is a slice of the projection x W, not of x.
void check_head_split(TutorialCase& example) {
  const auto d_model = example.stated_size("d_model "), num_heads = example.stated_size("h ");
  auto options = attention_of(d_model, num_heads);
  options.attention_bias = false;
  dragoman::MultiHeadAttention attention(options);
  const auto weight = attention->named_parameters()["key.weight"].detach().t();  // q = x W
  const auto x = at::randn({1, 3, d_model});
  const auto heads = attention->project(x).key[0].detach();
  for (std::int64_t h = 0; h < num_heads; ++h) {
    const auto of_head = weight.narrow(1, h * options.key_width(), options.key_width());
    example.check_equal("W_i_shape_row_vector_convention", of_head.sizes().vec());
    CHECK_THAT(heads[h], close_to(x[0].mm(of_head)));
  }
}

void check_shapes(TutorialCase& example) {
  auto options = attention_of(example.correct("d"), example.correct("h"));
  options.d_k = example.correct("d_k");
  options.d_v = example.correct("d_v");
  dragoman::MultiHeadAttention attention(options);
  const auto x = at::randn({1, example.correct("N"), options.d_model});
  const auto memory = attention->project(x);
  CHECK(memory.key.size(3) == options.d_k);
  CHECK(memory.key.size(1) == options.num_heads);
  example.check_equal("head", memory.value[0][0].sizes().vec());
  example.check_equal("concat", memory.value[0].transpose(0, 1).flatten(1).sizes().vec());
  example.check_equal("W_o", attention->named_parameters()["output.weight"].t().sizes().vec());
  example.check_equal("out", attention->forward(x, memory)[0].sizes().vec());
}

void check_sublayers(TutorialCase& example) {
  const auto count = parameter_count({}, {11, 11});
  example.check_equal("encoder", count.encoder_sublayers.size());
  example.check_equal("decoder", count.decoder_sublayers.size());
}

/// The model of the definition, with vocabulary matrices shared in this way.
ParameterCount counted(const TutorialCase& example, ShareEmbeddings sharing) {
  auto options = attention_of(example.stated_size("d="), example.stated_size("h="));
  options.encoder_layers = options.decoder_layers = example.stated_size("N=");
  options.d_ff = example.stated_size("d_ff=");
  options.share_embeddings = sharing;
  const auto vocab_size = example.stated_size("V=");
  return parameter_count(options, {vocab_size, vocab_size});
}

void check_totals(TutorialCase& example) {
  for (const auto& [name, sharing] : {std::pair{"total_one_shared_matrix", ShareEmbeddings::all},
                                      {"total_two_matrices", ShareEmbeddings::target_output},
                                      {"total_three_matrices", ShareEmbeddings::none}}) {
    const auto total = counted(example, sharing).total;
    example.check_equal(concat("no_biases/", name), total.weights);
    example.check_equal(concat("with_biases/", name), total.total());
  }
}

void check_parameters(TutorialCase& example) {
  const auto count = counted(example, ShareEmbeddings::target_output);
  const auto norms = [&](const auto& sublayers) {
    return std::ssize(sublayers) * count.norm.total();
  };
  example.check_equal("attention", count.attention.weights);
  example.check_equal("ffn", count.feed_forward.weights);
  example.check_equal("encoder_norms", norms(count.encoder_sublayers));
  example.check_equal("decoder_norms", norms(count.decoder_sublayers));
  example.check_equal("encoder_layer", count.encoder_layer.weights);
  example.check_equal("encoder_stack", count.encoder.weights);
  example.check_equal("decoder_layer", count.decoder_layer.weights);
  example.check_equal("decoder_stack", count.decoder.weights);
  example.check_equal("embeddings_2VD", count.embeddings.total());
  example.check_equal("total_by_the_print's_own_terms", count.total.weights);
  example.check_equal("with_biases/encoder_layer", count.encoder_layer.total());
  example.check_equal("with_biases/decoder_layer", count.decoder_layer.total());
  example.check_equal("with_biases/body", (count.encoder + count.decoder).total());
  check_totals(example);
}

}  // namespace

}  // namespace tutorial_layers

TutorialChecks layer_checks() {
  using namespace tutorial_layers;
  return {{"000.layer_norm", check_layer_norm},
          {"000.parameters", check_parameters},
          {"000.head_split", check_head_split},
          {"001.typical_dims", check_head_width},
          {"001.head_parameters", check_attention_weights},
          {"001.overfitting_parameters", check_formula},
          {"002.shapes", check_shapes},
          {"003.layers", check_sublayers}};
}

}  // namespace test
