#include "dragoman/model/classifier.h"

#include "support/golden_module.h"

namespace classifier_test {

using dragoman::Classifier;
using dragoman::EncoderLayerKind;
using dragoman::ModelOptions;
using dragoman::Pooling;

namespace {

constexpr std::int64_t classifier_vocabulary = 17, classes = 3;

Classifier classifier_of(const ModelOptions& options) {
  torch::manual_seed(5);
  Classifier model(options, classifier_vocabulary, classes);
  model->to(torch::kDouble);
  model->eval();
  return model;
}

/// Both poolings, over each kind of encoder layer.
std::vector<ModelOptions> classifier_options() {
  std::vector<ModelOptions> all;
  for (const auto pooling : {Pooling::mean, Pooling::first})
    for (const auto layer : {EncoderLayerKind::attention, EncoderLayerKind::lstm,
                             EncoderLayerKind::conv, EncoderLayerKind::conv_attention}) {
      auto options = test::golden_options();
      options.pooling = pooling;
      options.encoder_layer = layer;
      all.push_back(options);
    }
  return all;
}

torch::Tensor some_texts() { return torch::randint(4, classifier_vocabulary, {3, 8}); }

/// Three texts of 8, 3 and 5 tokens.
torch::Tensor text_mask() {
  return torch::arange(8).unsqueeze(0) < torch::tensor({8, 3, 5}).unsqueeze(1);
}

}  // namespace

TEST_CASE("padding and other texts of the batch never change a classifier's logits", "[property]") {
  for (const auto& options : classifier_options()) {
    auto model = classifier_of(options);
    const auto texts = some_texts();
    const auto batch = model->forward(texts, text_mask());
    const auto alone = texts.narrow(0, 1, 1).narrow(1, 0, 3);
    CHECK_THAT(model->forward(alone, torch::ones_like(alone, torch::kBool)),
               test::close_to(batch.narrow(0, 1, 1)));
    const auto garbage = texts.masked_fill(text_mask().logical_not(), 9);
    CHECK(test::same_bits(model->forward(garbage, text_mask()), batch));
  }
}

TEST_CASE("mean pooling is the mean of the real tokens, first pooling the first of them",
          "[unit]") {
  auto options = test::golden_options();
  options.encoder_layers = 1;
  for (const auto pooling : {Pooling::mean, Pooling::first}) {
    options.pooling = pooling;
    auto model = classifier_of(options);
    const auto texts = some_texts().narrow(0, 1, 1).narrow(1, 0, 3);
    const auto all = torch::ones_like(texts, torch::kBool);
    const auto parts = model->named_modules();
    const auto hidden = parts["encoder"]->as<dragoman::EncoderImpl>()->forward(
        parts["embedding"]->as<dragoman::EmbeddingImpl>()->forward(texts));
    const auto pooled = pooling == Pooling::mean ? hidden.mean(1) : hidden.select(1, 0);
    CHECK_THAT(model->forward(texts, all),
               test::close_to(parts["output"]->as<dragoman::LinearImpl>()->forward(pooled)));
  }
}

TEST_CASE("every weight of a mean-pooling classifier gets a gradient", "[property]") {
  for (const auto& options : classifier_options()) {
    if (options.pooling != Pooling::mean) continue;
    auto model = classifier_of(options);
    model->forward(some_texts(), text_mask()).square().sum().backward();
    for (const auto& item : model->named_parameters()) {
      CAPTURE(item.key());
      REQUIRE(item.value().grad().defined());
      if (!item.key().ends_with("key.bias"))
        CHECK(item.value().grad().abs().max().item<double>() > 0.0);
    }
  }
}

}  // namespace classifier_test
