#include "dragoman/loss/loss.h"
#include "dragoman/model/transformer.h"

#include "support/golden_module.h"

namespace transformer_golden_test {

namespace {

using dragoman::AttentionRecord;
using dragoman::Loss;
using dragoman::ModelOptions;
using dragoman::Transformer;

constexpr const char* whole_models = "transformer_";

/// Compares the label-smoothed loss, as the case defines it. \return the mean over real tokens
torch::Tensor golden_loss(const test::GoldenCase& golden, const torch::Tensor& logits,
                          const torch::Tensor& target, const test::Tolerance& tolerance) {
  const auto real = target.ne(test::golden_pad(golden));
  const auto loss = dragoman::label_smoothed_cross_entropy(
      logits.index({real}), target.index({real}),
      {.eps = test::stated_number(golden.json(), "eps "), .pad = test::golden_pad(golden)});
  const auto near = [&](const char* name) {
    return test::Approx(golden.json().at(name).get<double>()).epsilon(tolerance.relative);
  };
  const auto mean = loss.sum / static_cast<double>(loss.tokens);
  CHECK(loss.tokens == golden.json().at("tokens"));
  CHECK(loss.sums[Loss::nll].item<double>() == near("nll_sum"));
  CHECK(mean.item<double>() == near("loss"));
  return mean;
}

test::Tolerance gradient_tolerance(torch::ScalarType type) {
  return type == torch::kDouble ? test::tolerance_of(type) : test::Tolerance{1e-3, 1e-5};
}

/// The sum of embeddings and positions that enters the encoder.
torch::Tensor embedded(const Transformer& model, const torch::Tensor& source) {
  for (const auto& part : model->named_children())
    if (part.key() == "embedding" || part.key() == "source_embedding")
      return dynamic_cast<dragoman::EmbeddingImpl&>(*part.value()).forward(source);
  return {};
}

void check_attention(const test::GoldenCase& golden, const AttentionRecord& record,
                     const torch::Tensor& target_mask) {
  const auto& attentions = test::golden_list(golden.json(), "attention");
  CHECK(attentions.size() ==
        record.encoder_self.size() + record.decoder_self.size() + record.cross.size());
  for (const auto& [name, stored] : attentions.items()) {
    CAPTURE(name);
    const auto layer = test::layer_of(name);
    auto expected = golden.at("attention", name);
    if (name.rfind("encoder", 0) == 0) {
      CHECK_THAT(record.encoder_self.at(layer), test::close_to(expected));
      continue;
    }
    // Rows of padded queries do not matter.
    const auto& maps = name.find("cross") == std::string::npos ? record.decoder_self : record.cross;
    const auto rows = target_mask.unsqueeze(1).unsqueeze(3);
    CHECK_THAT(maps.at(layer) * rows, test::close_to(expected * rows));
  }
}

void check_whole_model(const test::GoldenCase& golden) {
  auto model = test::golden_transformer(golden);
  const auto source = golden.input("src"), target_output = golden.input("tgt_out");
  const auto pad = test::golden_pad(golden);
  const auto source_mask = source.ne(pad), target_mask = target_output.ne(pad);

  AttentionRecord record;
  const auto memory = model->encode(source, source_mask, &record);
  const auto rows = source_mask.unsqueeze(2);
  CHECK_THAT(embedded(model, source) * rows, test::close_to(golden.output("src_embedded") * rows));
  CHECK_THAT(memory * rows, test::close_to(golden.output("memory") * rows));

  const auto hidden = model->decode(golden.input("tgt_in"), memory, source_mask, &record);
  const auto logits = model->generator()->forward(hidden);
  CHECK_THAT(logits.index({target_mask}),
             test::close_to(golden.output("logits").index({target_mask})));
  CHECK_THAT(logits.log_softmax(-1).index({target_mask}),
             test::close_to(golden.output("log_probs").index({target_mask})));
  check_attention(golden, record, target_mask);

  golden_loss(golden, logits, target_output, test::tolerance_of(golden.type())).backward();
  test::check_gradients(*model, golden, gradient_tolerance(golden.type()));
}

}  // namespace

TEST_CASE("whole models have the golden memory, logits, attention, loss and gradients",
          "[golden]") {
  for (const auto& name : test::golden_names(whole_models))
    for (const auto& place : test::golden_places()) {
      CAPTURE(name, place);
      check_whole_model(test::GoldenCase(name, place));
    }
}

TEST_CASE("whole models have the golden number of weights", "[golden]") {
  for (const auto& name : test::golden_names(whole_models)) {
    const test::GoldenCase golden(name, torch::kDouble);
    const Transformer model(test::golden_options(golden), test::golden_vocabulary(golden));
    std::int64_t count = 0;
    for (const auto& weight : model->parameters()) count += weight.numel();
    CHECK(count == golden.json().at("param_count"));
  }
}

}  // namespace transformer_golden_test
