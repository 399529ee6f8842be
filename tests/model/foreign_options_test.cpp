#include "dragoman/core/error.h"
#include "dragoman/model/transformer.h"

#include "model/small_models.h"
#include "support/close.h"

#include <torch/nn.h>
#include <torch/optim.h>

namespace foreign_options_test {

using namespace dragoman;

namespace {

ModelOptions small_options() {
  ModelOptions options;
  options.d_model = 16;
  options.d_ff = 24;
  options.num_heads = 2;
  options.encoder_layers = options.decoder_layers = 1;
  options.dropout = 0.0;
  return options;
}

/// Models with what others' models have and the paper's has not.
std::vector<ModelOptions> foreign_options() {
  std::vector<ModelOptions> all(7, small_options());
  all[0].activation = Activation::swish;
  all[0].sinusoids = Sinusoids::halves;
  all[0].output_bias = true;
  all[1].activation = Activation::gelu_sigmoid;
  all[1].sinusoids = Sinusoids::halves_inclusive;
  all[1].position_offset = 2;
  all[2].start_vector = StartVector::zero;
  all[2].share_embeddings = ShareEmbeddings::source_target;
  all[3].start_vector = StartVector::learned;
  all[3].embedding_norm = true;
  all[4].embed_scale_value = 2.5;
  all[4].decoder_d_ff = 40;
  all[4].decoder_num_heads = 4;
  all[5].norm = NormPosition::pre;
  all[5].encoder_layers = 30;
  all[6].norm = NormPosition::pre;
  all[6].norm_later_keys = false;
  all[6].decoder_layers = 2;
  return all;
}

constexpr std::int64_t vocab_size = 12;

at::Tensor loss_of(Transformer& model, const at::Tensor& source, const at::Tensor& target) {
  const auto bos = torch::full({target.size(0), 1}, 2, torch::kLong);
  const auto input = at::cat({bos, target.narrow(1, 0, target.size(1) - 1)}, 1);
  const auto logits = model->forward(source, torch::ones_like(source, torch::kBool), input);
  return at::cross_entropy_loss(logits.flatten(0, 1), target.flatten());
}

}  // namespace

TEST_CASE("each of the options of others' models can be trained, and every weight learns",
          "[property]") {
  for (const auto& options : foreign_options()) {
    CAPTURE(nlohmann::json(options).dump());
    torch::manual_seed(3);
    Transformer model(options, VocabularySizes{vocab_size, vocab_size});
    const auto source = torch::randint(4, vocab_size, {4, 5});
    torch::optim::Adam adam(model->parameters(), torch::optim::AdamOptions(3e-3));
    const double before = loss_of(model, source, source).item<double>();
    std::vector<at::Tensor> first;
    for (const auto& weight : model->parameters()) first.push_back(weight.detach().clone());
    for (int step = 0; step < 60; ++step) {
      adam.zero_grad();
      loss_of(model, source, source).backward();
      adam.step();
    }
    CHECK(loss_of(model, source, source).item<double>() < 0.7 * before);
    for (std::size_t i = 0; i < first.size(); ++i) {
      CAPTURE(model->named_parameters().keys()[i]);
      CHECK_FALSE(at::equal(model->parameters()[i], first[i]));
    }
  }
}

TEST_CASE("decoding token by token gives the logits of the whole sentence with foreign options",
          "[property]") {
  for (const auto& options : foreign_options()) {
    CAPTURE(nlohmann::json(options).dump());
    torch::manual_seed(4);
    Transformer model(options, VocabularySizes{vocab_size, vocab_size});
    model->to(torch::kDouble);
    model->eval();
    const auto source = torch::randint(4, vocab_size, {3, 7});
    const auto target = torch::randint(4, vocab_size, {3, 6});
    const auto mask = torch::ones_like(source, torch::kBool);
    const auto whole = model->forward(source, mask, target);
    auto state = model->start(model->encode(source, mask), mask);
    for (std::int64_t t = 0; t < target.size(1); ++t)
      CHECK_THAT(model->step(target.select(1, t), state),
                 test::close_to(whole.select(1, t), {1e-9, 1e-9}));
  }
}

TEST_CASE("without norm_later_keys the first position reads normalised keys, and later ones none",
          "[unit]") {
  auto options = small_options();
  options.norm = NormPosition::pre;
  const auto output = [x = torch::randn({2, 5, 16})](const ModelOptions& of) {
    torch::manual_seed(5);
    return DecoderLayer(of, LayerAttention{}, LayerAttention{}, MemoryUse::none)
        ->forward(x, {}, AttentionMask::causal(x.size(1), x.options()), {});
  };
  const auto normed = output(options);
  options.norm_later_keys = false;
  const auto mixed = output(options);
  options.norm_later_keys = true;
  options.norm_keys = false;
  const auto raw = output(options);
  CHECK_THAT(mixed.select(1, 0), test::close_to(normed.select(1, 0)));
  CHECK_THAT(mixed.narrow(1, 1, 4), test::close_to(raw.narrow(1, 1, 4)));
  CHECK_FALSE(at::allclose(normed.select(1, 0), raw.select(1, 0)));
  CHECK_FALSE(at::allclose(normed.narrow(1, 1, 4), raw.narrow(1, 1, 4)));
}

TEST_CASE("the decoder's first input is the embedding of BOS, zeros or a vector of its own",
          "[unit]") {
  const auto ids = torch::tensor({{2, 5}});
  auto options = small_options();
  options.position = Position::none;
  Transformer by_token(options, VocabularySizes{vocab_size, vocab_size});
  const auto vector = by_token->named_parameters()["embedding.weight"];
  CHECK_THAT(by_token->embed_target(ids)[0], test::close_to(vector.index({ids[0]}) * 4.0));
  options.start_vector = StartVector::zero;
  Transformer by_zero(options, VocabularySizes{vocab_size, vocab_size});
  CHECK(by_zero->embed_target(ids)[0][0].abs().max().item<double>() == 0.0);
  CHECK(by_zero->embed_target(ids)[0][1].abs().max().item<double>() > 0.0);
  CHECK(by_zero->embed_target(ids, 1)[0][0].abs().max().item<double>() > 0.0);
  CHECK(by_zero->embed_source(ids)[0][0].abs().max().item<double>() > 0.0);
  options.start_vector = StartVector::learned;
  Transformer by_own(options, VocabularySizes{vocab_size, vocab_size});
  const torch::NoGradGuard no_gradient;
  by_own->named_parameters()["start_vector"].fill_(0.25);
  CHECK_THAT(by_own->embed_target(ids)[0][0], test::close_to(torch::full({16}, 0.25)));
}

TEST_CASE("the factor of embeddings and their norm are applied as documented", "[unit]") {
  const auto ids = torch::tensor({{3, 5, 6}});
  auto options = small_options();
  options.embed_scale_value = 2.5;
  options.embedding_norm = true;
  Transformer model(options, VocabularySizes{vocab_size, vocab_size});
  const auto table = sinusoidal_table(3, 16).to(torch::kFloat);
  const auto sum = model->named_parameters()["embedding.weight"].index({ids[0]}) * 2.5 + table;
  const auto expected = at::layer_norm(sum, {16}, {}, {}, options.layer_norm_eps);
  CHECK_THAT(model->embed_source(ids)[0], test::close_to(expected, {1e-5, 1e-5}));
  CHECK_THAT(model->embed_target(ids)[0], test::close_to(expected, {1e-5, 1e-5}));
}

TEST_CASE("options that would have no effect are refused", "[unit]") {
  const auto refused = [](auto change) {
    auto options = small_options();
    change(options);
    try {
      options.validate();
    } catch (const OptionsError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK_THAT(refused([](auto& o) {
               o.position = Position::learned;
               o.sinusoids = Sinusoids::halves;
             }),
             test::contains("model.sinusoids"));
  CHECK_THAT(refused([](auto& o) {
               o.position = Position::none;
               o.position_offset = 1;
             }),
             test::contains("model.position_offset"));
  CHECK_THAT(refused([](auto& o) {
               o.embed_scale = false;
               o.embed_scale_value = 2.0;
             }),
             test::contains("model.embed_scale_value"));
  CHECK_THAT(refused([](auto& o) {
               o.d_model = 2;
               o.sinusoids = Sinusoids::halves_inclusive;
             }),
             test::contains("model.d_model"));
  CHECK_THAT(refused([](auto& o) { o.encoder_layers = 513; }),
             test::contains("model.encoder_layers"));
  CHECK(refused([](auto& o) { o.encoder_layers = 512; }).empty());
}

}  // namespace foreign_options_test
