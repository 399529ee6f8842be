#include "dragoman/model/language_model.h"

#include "dragoman/core/error.h"

#include "support/golden_module.h"

namespace language_model_test {

using dragoman::AttentionKind;
using dragoman::DecoderLayerKind;
using dragoman::LanguageModel;
using dragoman::ModelOptions;

namespace {

constexpr std::int64_t language_vocabulary = 17;

LanguageModel language_model_of(const ModelOptions& options) {
  torch::manual_seed(5);
  LanguageModel model(options, language_vocabulary);
  model->to(torch::kDouble);
  model->eval();
  return model;
}

/// Full and linear attention and the recurrence, both norms.
std::vector<ModelOptions> language_options() {
  std::vector<ModelOptions> all(3, test::golden_options());
  all[1].decoder_attention.layers.front().common.kind = AttentionKind::linear;
  all[1].norm = dragoman::NormPosition::pre;
  all[2].decoder_layer = DecoderLayerKind::lstm;
  return all;
}

torch::Tensor logits_of(LanguageModel& model, const torch::Tensor& ids) {
  return model->generator()->forward(model->forward(ids));
}

}  // namespace

TEST_CASE("later tokens change no earlier logits of a language model", "[property]") {
  for (const auto& options : language_options()) {
    auto model = language_model_of(options);
    const auto ids = torch::randint(4, language_vocabulary, {3, 7});
    auto other = ids.clone();
    other.narrow(1, 4, 3).fill_(9);
    CHECK_THAT(logits_of(model, other).narrow(1, 0, 4),
               test::close_to(logits_of(model, ids).narrow(1, 0, 4)));
    CHECK_FALSE(at::allclose(logits_of(model, other), logits_of(model, ids)));
  }
}

TEST_CASE("a language model gives the same logits step by step as for the whole text",
          "[property]") {
  for (const auto& options : language_options()) {
    auto model = language_model_of(options);
    const auto ids = torch::randint(4, language_vocabulary, {3, 7});
    const auto whole = model->forward(ids);
    auto state = model->start();
    for (std::int64_t t = 0; t < 6; ++t)
      CHECK_THAT(model->advance(ids.select(1, t), state), test::close_to(whole.select(1, t)));
    const auto rows = torch::tensor({2, 0, 0, 1});
    state.select_rows(rows);
    CHECK_THAT(model->advance(ids.select(1, 6).index_select(0, rows), state),
               test::close_to(whole.select(1, 6).index_select(0, rows)));
  }
}

TEST_CASE("a language model has no encoder-decoder attention and shares its vocabulary matrix",
          "[unit]") {
  auto options = test::golden_options();
  const auto names = language_model_of(options)->named_parameters().keys();
  for (const auto& name : names) {
    CHECK(name.find("memory") == std::string::npos);
    CHECK(name.find("generator") == std::string::npos);
  }
  options.share_embeddings = dragoman::ShareEmbeddings::none;
  CHECK(language_model_of(options)->named_parameters().contains("generator.weight"));
}

}  // namespace language_model_test
