#include "dragoman/analysis/head_importance.h"

#include "support/golden_module.h"

namespace head_importance_test {

using namespace dragoman;

namespace {

Transformer golden_model() {
  const test::GoldenCase golden("transformer_post_ln_tied", at::kDouble);
  Transformer model(test::golden_options(golden), test::golden_vocabulary(golden));
  model->to(at::kDouble);
  test::load_golden(*model, golden);
  return model;
}

std::vector<std::int32_t> ids_without_padding(const at::Tensor& row) {
  std::vector<std::int32_t> ids;
  for (std::int64_t i = 0; i < row.size(0); ++i)
    if (const auto id = row[i].item<std::int64_t>(); id != 0)
      ids.push_back(static_cast<std::int32_t>(id));
  return ids;
}

std::vector<Example> golden_examples() {
  const test::GoldenCase golden("transformer_post_ln_tied", at::kDouble);
  std::vector<Example> examples;
  for (std::int64_t i = 0; i < golden.input("src").size(0); ++i)
    examples.push_back({ids_without_padding(golden.input("src")[i]),
                        ids_without_padding(golden.input("tgt_out")[i])});
  return examples;
}

std::string golden_name(const HeadImportance& head) {
  return std::string(head.kind == AttentionPart::encoder ? "encoder" : "decoder") + ".layers." +
         std::to_string(head.layer) +
         (head.kind == AttentionPart::cross ? ".cross_attn" : ".self_attn");
}

/// An element of a golden tensor, or of a plain list.
test::Approx near(const nlohmann::json& stored, std::int64_t at) {
  const auto& numbers = stored.is_array() ? stored : stored.at("data");
  return test::Approx(numbers.at(static_cast<std::size_t>(at)).get<double>())
      .epsilon(1e-9)
      .margin(1e-11);
}

}  // namespace

TEST_CASE("head importance, ablation and pruning order match the golden ones", "[golden]") {
  const test::GoldenCase golden("head_importance", at::kDouble);
  const auto report =
      head_importance(golden_model(), golden_examples(), {}, {}, Ablation::each_head);
  const auto& nll = golden.json().at("nll_per_sentence").at("data");
  CHECK(report.nll == test::Approx(nll[0].get<double>() + nll[1].get<double>()).epsilon(1e-9));
  REQUIRE(report.heads.size() == 12);
  for (const auto& head : report.heads) {
    const auto name = golden_name(head);
    CAPTURE(name, head.head);
    const auto& expected = golden.json().at("heads").at(name);
    for (std::size_t b = 0; b < head.gate_grads.size(); ++b)
      CHECK(head.gate_grads[b] ==
            near(expected.at("gate_grad"), static_cast<std::int64_t>(2 * b) + head.head));
    CHECK(head.importance == near(expected.at("importance"), head.head));
    CHECK(head.normalised == near(expected.at("importance_l2_normalised"), head.head));
    REQUIRE(head.nll_without.has_value());
    CHECK(*head.nll_without == near(expected.at("nll_sum_without_head"), head.head));
  }
  const auto order = pruning_order(report);
  const auto& expected_order = golden.json().at("pruning_order");
  REQUIRE(order.size() == expected_order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    CHECK(golden_name(order[i]) == expected_order[i].at("attention"));
    CHECK(order[i].head == expected_order[i].at("head"));
  }
}

TEST_CASE("measuring head importance leaves the model unchanged", "[unit]") {
  auto model = golden_model();
  std::vector<at::Tensor> before;
  for (const auto& weight : model->parameters()) before.push_back(weight.detach().clone());
  head_importance(model, golden_examples(), {}, {}, Ablation::each_head);
  const auto after = model->parameters();
  for (std::size_t i = 0; i < after.size(); ++i) {
    CHECK(test::same_bits(after[i].detach(), before[i]));
    CHECK_FALSE(after[i].grad().defined());
  }
}

}  // namespace head_importance_test
