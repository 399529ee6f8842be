#include "dragoman/model/parameter_count.h"
#include "dragoman/model/transformer.h"

#include "attention/attention_support.h"
#include "support/golden_module.h"

namespace attention_kinds_test {

using dragoman::HeadAttention;
using dragoman::ModelOptions;
using dragoman::Transformer;

namespace {

constexpr std::int64_t kinds_vocabulary = 19;

struct Named {
  std::string name;
  ModelOptions options;
};

/// A small model for each kind in both stacks (the encoder alone where decoding is impossible), and
/// one whose layers and heads differ.
std::vector<Named> models_of_kinds() {
  std::vector<Named> models;
  for (const auto& kind : test::all_kinds()) {
    auto options = test::golden_options();
    options.encoder_attention.layers = {{.common = kind, .heads = {}}};
    if (kind.kind != dragoman::AttentionKind::low_rank)
      options.decoder_attention.layers = options.encoder_attention.layers;
    models.push_back({test::name_of(kind), options});
  }
  using dragoman::AttentionKind;
  auto options = test::golden_options();
  options.num_heads = 4;
  const std::vector<HeadAttention> heads = {{.kind = AttentionKind::local, .radius = 1},
                                            {.kind = AttentionKind::linear},
                                            {.kind = AttentionKind::full},
                                            {.kind = AttentionKind::local, .radius = 1}};
  options.encoder_attention.layers = {{.common = {}, .heads = heads}, {.common = heads[1], .heads = {}}};
  options.decoder_attention.layers = {{.common = heads[0], .heads = {}}, {.common = {}, .heads = heads}};
  models.push_back({"by layer and head", options});
  return models;
}

Transformer kind_model(const ModelOptions& options, torch::ScalarType type = torch::kDouble) {
  torch::manual_seed(5);
  Transformer model(options, dragoman::VocabularySizes{kinds_vocabulary, kinds_vocabulary});
  model->to(type);
  return model;
}

torch::Tensor kind_ids(std::int64_t len) { return torch::randint(4, kinds_vocabulary, {3, len}); }

torch::Tensor kind_mask() {
  return torch::arange(9).unsqueeze(0) < torch::tensor({9, 4, 6}).unsqueeze(1);
}

}  // namespace

TEST_CASE("with every attention one token at a time equals the whole sentence", "[property]") {
  for (const auto& [name, options] : models_of_kinds()) {
    auto model = kind_model(options);
    model->eval();
    const auto source = kind_ids(9), target = kind_ids(12);
    const auto whole = model->forward(source, kind_mask(), target);
    auto state = model->start(model->encode(source, kind_mask()).detach(), kind_mask());
    for (std::int64_t t = 0; t < target.size(1); ++t) {
      CAPTURE(name, t);
      CHECK_THAT(model->step(target.select(1, t), state), test::close_to(whole.select(1, t)));
    }
  }
}

TEST_CASE("with every attention decoding goes on with the rows that beams keep", "[property]") {
  for (const auto& [name, options] : models_of_kinds()) {
    CAPTURE(name);
    auto model = kind_model(options);
    model->eval();
    const auto source = kind_ids(9), target = kind_ids(6);
    const auto memory = model->encode(source, kind_mask()).detach();
    auto state = model->start(memory, kind_mask());
    for (std::int64_t t = 0; t < 5; ++t) model->step(target.select(1, t), state);
    state.select_rows(torch::tensor({0, 0, 1, 1, 2, 2}));
    const auto step = model->step(target.select(1, 5).repeat_interleave(2), state);
    const auto whole = model->forward(source, kind_mask(), target).select(1, 5);
    CHECK_THAT(step, test::close_to(whole.repeat_interleave(2, 0)));
  }
}

TEST_CASE("with every attention later target tokens and padding change nothing", "[property]") {
  for (const auto& [name, options] : models_of_kinds()) {
    CAPTURE(name);
    auto model = kind_model(options);
    model->eval();
    const auto source = kind_ids(9), target = kind_ids(7);
    const auto batch = model->forward(source, kind_mask(), target);
    auto other = target.clone();
    other.narrow(1, 4, 3).fill_(9);
    CHECK_THAT(model->forward(source, kind_mask(), other).narrow(1, 0, 4),
               test::close_to(batch.narrow(1, 0, 4)));
    const auto alone = source.narrow(0, 1, 1).narrow(1, 0, 4);
    CHECK_THAT(model->forward(alone, torch::ones_like(alone, torch::kBool), target.narrow(0, 1, 1)),
               test::close_to(batch.narrow(0, 1, 1)));
  }
}

TEST_CASE("with every attention a step of training lowers the loss, with finite gradients everywhere",
          "[property]") {
  for (auto [name, options] : models_of_kinds()) {
    CAPTURE(name);
    options.dropout = 0.1;
    options.d_model = 64;  // heads as wide as the vectors of the fast kernels
    auto model = kind_model(options, torch::kFloat);
    const auto source = kind_ids(9), target = kind_ids(8);
    const auto loss = [&] {
      const auto logits = model->forward(source, kind_mask(), target.narrow(1, 0, 7));
      return torch::nn::functional::cross_entropy(logits.flatten(0, 1), target.narrow(1, 1, 7).flatten());
    };
    loss().backward();
    for (const auto& item : model->named_parameters()) {
      CAPTURE(item.key());
      REQUIRE(item.value().grad().defined());
      CHECK(item.value().grad().isfinite().all().item<bool>());
      // Softmax does not feel a number that is added to all keys.
      if (!item.key().ends_with("key.bias")) CHECK(item.value().grad().abs().max().item<double>() > 0.0);
    }
    const torch::NoGradGuard no_gradient;
    model->eval();
    const double before = loss().item<double>();
    for (auto& parameter : model->parameters()) parameter -= 0.02 * parameter.grad();
    CHECK(loss().item<double>() < before);
  }
}

TEST_CASE("with every attention parameters are counted as they are", "[property]") {
  for (const auto& [name, options] : models_of_kinds()) {
    CAPTURE(name);
    std::int64_t parameters = 0;
    for (const auto& parameter : kind_model(options)->parameters()) parameters += parameter.numel();
    CHECK(dragoman::parameter_count(options, {kinds_vocabulary, kinds_vocabulary}).total.total() == parameters);
  }
}

}  // namespace attention_kinds_test
