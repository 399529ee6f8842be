#include "dragoman/model/average_attention.h"
#include "dragoman/model/flops.h"
#include "dragoman/model/parameter_count.h"
#include "dragoman/model/ssru.h"

#include "model/small_models.h"

#include <ATen/autocast_mode.h>

namespace layer_kinds_test {

using dragoman::DecoderLayerKind;
using dragoman::EncoderLayerKind;
using dragoman::ModelOptions;
using dragoman::NormPosition;
using test::NamedModel;

namespace {

/// Options of that kind of decoder layer that are not the default.
void vary(ModelOptions& options) {
  options.ssru_output = options.decoder_layer == DecoderLayerKind::ssru;
  if (options.decoder_layer != DecoderLayerKind::average_attention) return;
  options.average_d_ff = options.d_model + 8;
  options.average_depth = 3;
  options.average_gate = false;
  options.average_activation = dragoman::Activation::swish;
}

/// Each kind of encoder layer with each kind of decoder layer, in both norms; every other time with
/// other options.
std::vector<NamedModel> models_of_layers() {
  std::vector<NamedModel> models;
  for (const auto encoder : {EncoderLayerKind::attention, EncoderLayerKind::lstm,
                             EncoderLayerKind::conv, EncoderLayerKind::conv_attention})
    for (const auto decoder : {DecoderLayerKind::attention, DecoderLayerKind::lstm,
                               DecoderLayerKind::ssru, DecoderLayerKind::average_attention}) {
      auto options = test::golden_options();
      options.encoder_layer = encoder;
      options.decoder_layer = decoder;
      options.norm = models.size() % 3 == 0 ? NormPosition::pre : NormPosition::post;
      options.norm_keys = options.norm == NormPosition::post || models.size() % 2 == 0;
      if (models.size() > 8) vary(options);
      models.push_back(
          {nlohmann::json(encoder).dump() + " and " + nlohmann::json(decoder).dump(), options});
    }
  return models;
}

}  // namespace

TEST_CASE("with every kind of layer, decoding token by token equals the whole sentence",
          "[property]") {
  for (const auto& [name, options] : models_of_layers())
    for (const auto type : {torch::kDouble, torch::kFloat}) {
      CAPTURE(name);
      test::check_steps(options, type);
    }
}

TEST_CASE("average attention in bf16 is as exact token by token as over a whole sentence",
          "[unit]") {
  torch::manual_seed(3);
  const torch::NoGradGuard no_gradients;
  auto options = test::golden_options();
  options.decoder_layer = DecoderLayerKind::average_attention;
  dragoman::AverageAttention layer(options);
  layer->eval();
  const auto unchanged = [](const at::Tensor& x) { return x; };
  const auto x = torch::randn({2, 400, options.d_model});
  const auto exact = layer->read(x, unchanged);
  layer->to(at::kBFloat16);
  const auto short_x = x.to(at::kBFloat16);
  const auto error_of = [&](const at::Tensor& y) {
    return (y.to(at::kFloat) - exact).abs().max().item<double>();
  };
  dragoman::RecurrentState state;
  std::vector<at::Tensor> steps;
  for (std::int64_t t = 0; t < x.size(1); ++t)
    steps.push_back(layer->read_next(short_x.narrow(1, t, 1), unchanged, state));
  CHECK(steps.front().scalar_type() == at::kBFloat16);
  CHECK(error_of(torch::cat(steps, 1)) < 1.5 * error_of(layer->read(short_x, unchanged)));
}

TEST_CASE("an SSRU in bf16 remembers what a gate near 1 lets in", "[unit]") {
  torch::manual_seed(3);
  const torch::NoGradGuard no_gradients;
  auto options = test::golden_options();
  options.decoder_layer = DecoderLayerKind::ssru;
  dragoman::Ssru layer(options);
  layer->named_parameters()["forget.bias"].fill_(7.0);  // gates of 0.999
  const auto unchanged = [](const at::Tensor& x) { return x; };
  const auto x = torch::randn({2, 400, options.d_model});
  const auto exact = layer->read(x, unchanged);
  layer->to(at::kBFloat16);
  const auto short_x = x.to(at::kBFloat16);
  const auto share = [&](const at::Tensor& y) {
    return ((y.to(at::kFloat) - exact).abs().max() / exact.max()).item<double>();
  };
  CHECK(share(layer->read(short_x, unchanged)) < 0.1);
  dragoman::RecurrentState state;
  std::vector<at::Tensor> steps;
  for (std::int64_t t = 0; t < x.size(1); ++t)
    steps.push_back(layer->read_next(short_x.narrow(1, t, 1), unchanged, state));
  CHECK(share(torch::cat(steps, 1)) < 0.1);
}

TEST_CASE("with every kind of layer, decoding continues with the rows and sentences beams keep",
          "[property]") {
  for (const auto& [name, options] : models_of_layers()) {
    CAPTURE(name);
    auto model = test::new_model(options);
    const auto source = test::model_ids(9),
               target = torch::randint(4, test::model_vocabulary, {6, 4});
    auto state =
        model->start(model->encode(source, test::model_mask()).detach(), test::model_mask());
    for (std::int64_t t = 0; t < 3; ++t) model->step(target.select(1, t), state);
    const auto sentences = torch::tensor({0, 2}), rows = torch::tensor({1, 0, 5, 5});
    state.select_sentences(sentences);
    state.select_rows(rows);
    const auto last = torch::tensor({4, 5, 6, 7});
    const auto prefix =
        torch::cat({target.narrow(1, 0, 3).index_select(0, rows), last.unsqueeze(1)}, 1);
    const auto pairs = torch::tensor({0, 0, 2, 2});
    const auto expected = model->forward(source.index_select(0, pairs),
                                         test::model_mask().index_select(0, pairs), prefix);
    CHECK_THAT(model->step(last, state), test::close_to(expected.select(1, 3)));
  }
}

TEST_CASE("with every kind of layer, later target tokens, padding and neighbours change nothing",
          "[property]") {
  for (const auto& [name, options] : models_of_layers()) {
    CAPTURE(name);
    test::check_independence(options);
  }
}

TEST_CASE("every kind of layer except a single convolution sees the whole sentence", "[property]") {
  for (const auto& [name, options] : models_of_layers()) {
    CAPTURE(name);
    auto one_layer = options;
    one_layer.encoder_layers = 1;
    auto model = test::new_model(one_layer);
    const auto source = test::model_ids(9), all = torch::ones_like(source, torch::kBool);
    auto other = source.clone();
    other.select(1, 8).fill_(5);
    other.select(1, 8).masked_fill_(source.select(1, 8) == 5, 6);
    const auto change = (model->encode(other, all) - model->encode(source, all))
                            .abs()
                            .amax(torch::IntArrayRef{0, 2});
    const bool local = options.encoder_layer == EncoderLayerKind::conv;
    CHECK((change[0].item<double>() == 0.0) == local);
    CHECK(change[7].item<double>() > 0.0);
  }
}

TEST_CASE("a training step lowers the loss with every kind of layer, with finite gradients",
          "[property]") {
  for (const auto& [name, options] : models_of_layers()) {
    CAPTURE(name);
    test::check_learning(options);
  }
}

TEST_CASE("with every kind of layer, bfloat16 autocast stays close, with finite gradients",
          "[property]") {
  for (const auto& [name, options] : models_of_layers()) {
    CAPTURE(name);
    auto model = test::new_model(options, torch::kFloat);
    const auto source = test::model_ids(9), target = test::model_ids(6);
    const auto exact = model->forward(source, test::model_mask(), target);
    at::autocast::set_autocast_enabled(at::kCPU, true);
    const auto rough = model->forward(source, test::model_mask(), target).to(torch::kFloat);
    at::autocast::set_autocast_enabled(at::kCPU, false);
    at::autocast::clear_cache();
    CHECK_THAT(rough, test::close_to(exact, {0.0, 0.15}));
    rough.sum().backward();
    for (const auto& weight : model->parameters())
      CHECK(weight.grad().isfinite().all().item<bool>());
  }
}

TEST_CASE("with every kind of layer, parameter counts are correct, sub-layer by sub-layer",
          "[property]") {
  for (const auto& [name, options] : models_of_layers()) {
    CAPTURE(name);
    const auto model = test::new_model(options);
    const auto count =
        dragoman::parameter_count(options, {test::model_vocabulary, test::model_vocabulary});
    CHECK(count.total.total() == test::numbers_held(model));
    for (const auto& part : count.encoder_sublayers)
      CHECK(part.count.total() == test::numbers_held(model, "encoder.layers.0." + part.name + "."));
    for (const auto& part : count.decoder_sublayers)
      CHECK(part.count.total() == test::numbers_held(model, "decoder.layers.0." + part.name + "."));
  }
}

TEST_CASE("a recurrence and a convolution cost as much as their linear maps", "[unit]") {
  ModelOptions options;
  options.d_model = 64, options.d_ff = 128, options.num_heads = 4;
  options.encoder_layers = options.decoder_layers = 2;
  options.conv_width = 5;
  const auto flops = [&](EncoderLayerKind encoder, DecoderLayerKind decoder) {
    options.encoder_layer = encoder;
    options.decoder_layer = decoder;
    return dragoman::forward_flops(options, 1000, 13, 17);
  };
  const double d = 64, attention = flops(EncoderLayerKind::attention, DecoderLayerKind::attention);
  const double of_encoder = 2 * 2 * (13 * 4 * d * d + 2 * 13 * 13 * d);  // 2 layers
  const double of_decoder = 2 * 2 * (17 * 4 * d * d + 2 * 17 * 17 * d);
  CHECK(flops(EncoderLayerKind::lstm, DecoderLayerKind::lstm) ==
        test::Approx(attention - of_encoder - of_decoder +
                     2 * 2 * (13 * 6 * d * d + 17 * 8 * d * d)));
  const double convolution = 2 * 2 * 13 * 5 * d * d;
  CHECK(flops(EncoderLayerKind::conv, DecoderLayerKind::attention) ==
        test::Approx(attention - of_encoder + convolution));
  CHECK(flops(EncoderLayerKind::conv_attention, DecoderLayerKind::attention) ==
        test::Approx(attention + convolution));
}

}  // namespace layer_kinds_test
