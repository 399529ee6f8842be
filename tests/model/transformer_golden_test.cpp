#include "dragoman/model/transformer.h"

#include "support/golden_module.h"

#include <torch/nn/functional.h>

namespace transformer_golden_test {

namespace {

using dragoman::AttentionRecord;
using dragoman::ModelOptions;
using dragoman::Transformer;

const std::vector<std::string> whole_models = {"transformer_post_ln_tied",
                                               "transformer_pre_ln_untied_learned"};

/// Label-smoothed cross-entropy as the cases define it.
torch::Tensor golden_loss(const torch::Tensor& logits, const torch::Tensor& target) {
  return at::cross_entropy_loss(logits.flatten(0, 1), target.flatten(), {}, at::Reduction::Mean,
                                /*ignore_index=*/0, /*label_smoothing=*/0.1);
}

test::Tolerance gradient_tolerance(torch::ScalarType type) {
  return type == torch::kDouble ? test::tolerance_of(type) : test::Tolerance{1e-3, 1e-5};
}

void check_attention(const test::GoldenCase& golden, const AttentionRecord& record,
                     const torch::Tensor& target_mask) {
  for (const auto& [name, stored] : golden.json().at("attention").items()) {
    CAPTURE(name);
    const auto layer = static_cast<std::size_t>(name[std::string("encoder.layers.").size()] - '0');
    auto expected = golden.at("attention", name);
    if (name.rfind("encoder", 0) == 0) {
      CHECK_THAT(record.encoder_self.at(layer), test::close_to(expected));
      continue;
    }
    // Rows of padded queries do not matter.
    const auto& maps =
        name.find("cross") == std::string::npos ? record.decoder_self : record.decoder_memory;
    const auto rows = target_mask.unsqueeze(1).unsqueeze(3);
    CHECK_THAT(maps.at(layer) * rows, test::close_to(expected * rows));
  }
}

void check_whole_model(const std::string& name, torch::ScalarType type) {
  const test::GoldenCase golden(name, type);
  const auto tolerance = test::tolerance_of(type);
  Transformer model(test::golden_options(golden), test::golden_vocabulary(golden));
  model->to(type);
  test::load_golden(*model, golden);
  const auto source = golden.input("src"), target_output = golden.input("tgt_out");
  const auto source_mask = source.ne(0), target_mask = target_output.ne(0);

  AttentionRecord record;
  const auto memory = model->encode(source, source_mask, &record);
  const auto rows = source_mask.unsqueeze(2);
  CHECK_THAT(memory * rows, test::close_to(golden.output("memory") * rows));

  const auto hidden = model->decode(golden.input("tgt_in"), memory, source_mask, &record);
  const auto logits = model->generator()->forward(hidden);
  CHECK_THAT(logits.index({target_mask}),
             test::close_to(golden.output("logits").index({target_mask})));
  CHECK_THAT(logits.log_softmax(-1).index({target_mask}),
             test::close_to(golden.output("log_probs").index({target_mask})));
  check_attention(golden, record, target_mask);

  const auto loss = golden_loss(logits, target_output);
  CHECK(loss.item<double>() ==
        test::Approx(golden.json().at("loss").get<double>()).epsilon(tolerance.relative));
  loss.backward();
  test::check_gradients(*model, golden, gradient_tolerance(type));
}

}  // namespace

TEST_CASE("whole models have the golden memory, logits, attention, loss and gradients",
          "[golden]") {
  for (const auto& name : whole_models)
    for (const auto type : test::golden_types()) {
      CAPTURE(name, c10::toString(type));
      check_whole_model(name, type);
    }
}

TEST_CASE("whole models have the golden number of weights", "[golden]") {
  for (const auto& name : whole_models) {
    const test::GoldenCase golden(name, torch::kDouble);
    const Transformer model(test::golden_options(golden), test::golden_vocabulary(golden));
    std::int64_t count = 0;
    for (const auto& weight : model->parameters()) count += weight.numel();
    CHECK(count == golden.json().at("param_count"));
  }
}

}  // namespace transformer_golden_test
