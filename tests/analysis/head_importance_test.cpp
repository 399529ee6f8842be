#include "dragoman/analysis/head_importance.h"

#include "support/golden_module.h"

#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace head_importance_test {

using namespace dragoman;

namespace {

/// A case, and the model that it names.
struct GoldenImportance {
  explicit GoldenImportance(const std::string& name) : expected(name, at::kDouble) {}

  ImportanceReport measured(std::span<const Example> of, Ablation ablation) const {
    return head_importance(model, of, special, special, ablation);
  }

  test::GoldenCase expected;
  test::GoldenCase of_model{expected.params().at("model"), at::kDouble};
  Transformer model = test::golden_transformer(of_model);
  SpecialIds special = test::golden_special(of_model);
  std::vector<Example> examples = examples_of(of_model);

  static std::vector<Example> examples_of(const test::GoldenCase& golden);
};

std::vector<std::int32_t> ids_without_padding(const at::Tensor& row, std::int64_t pad) {
  std::vector<std::int32_t> ids;
  for (std::int64_t i = 0; i < row.size(0); ++i)
    if (const auto id = row[i].item<std::int64_t>(); id != pad)
      ids.push_back(static_cast<std::int32_t>(id));
  return ids;
}

std::vector<Example> GoldenImportance::examples_of(const test::GoldenCase& golden) {
  const auto pad = test::golden_pad(golden);
  std::vector<Example> examples;
  for (std::int64_t i = 0; i < golden.input("src").size(0); ++i)
    examples.push_back({ids_without_padding(golden.input("src")[i], pad),
                        ids_without_padding(golden.input("tgt_out")[i], pad)});
  return examples;
}

std::string golden_name(const HeadImportance& head) {
  return std::string(head.kind == AttentionPart::encoder ? "encoder" : "decoder") + ".layers." +
         std::to_string(head.layer) +
         (head.kind == AttentionPart::cross ? ".cross_attn" : ".self_attn");
}

test::Approx near(double expected) { return test::Approx(expected).epsilon(1e-9).margin(1e-11); }

/// An element of a golden tensor, or of a plain list.
test::Approx near(const nlohmann::json& stored, std::int64_t at) {
  const auto& numbers = stored.is_array() ? stored : stored.at("data");
  return near(numbers.at(static_cast<std::size_t>(at)).get<double>());
}

void check_head(const HeadImportance& head, const nlohmann::json& expected) {
  const auto gradients = test::golden_tensor(expected.at("gate_grad"));  // [batch, num_heads]
  REQUIRE(std::ssize(head.gate_grads) == gradients.size(0));
  for (std::int64_t b = 0; b < gradients.size(0); ++b)
    CHECK(head.gate_grads[static_cast<std::size_t>(b)] ==
          near(gradients[b][head.head].item<double>()));
  CHECK(head.importance == near(expected.at("importance"), head.head));
  CHECK(head.normalised == near(expected.at("importance_l2_normalised"), head.head));
  REQUIRE(head.nll_without.has_value());
  CHECK(*head.nll_without == near(expected.at("nll_sum_without_head"), head.head));
}

/// All heads of a case, from one number or more for each.
std::size_t heads_in(const nlohmann::json& attentions) {
  std::size_t heads = 0;
  for (const auto& [name, stored] : attentions.items())
    heads += stored.at("nll_sum_without_head").size();
  return heads;
}

void check_importance(const GoldenImportance& golden) {
  const auto& expected = golden.expected.json();
  const auto report = golden.measured(golden.examples, Ablation::each_head);
  CHECK(report.nll ==
        near(test::golden_tensor(expected.at("nll_per_sentence")).sum().item<double>()));
  REQUIRE(report.heads.size() == heads_in(expected.at("heads")));
  for (const auto& head : report.heads) {
    const auto name = golden_name(head);
    CAPTURE(name, head.head);
    check_head(head, expected.at("heads").at(name));
  }
  // Heads of equal importance, such as the only ones of their layers, have no order.
  const auto order = pruning_order(report);
  const auto& expected_order = expected.at("pruning_order");
  REQUIRE(order.size() == expected_order.size());
  std::set<std::pair<std::string, std::int64_t>> found, ordered;
  for (std::size_t i = 0; i < order.size(); ++i) {
    CAPTURE(i);
    const auto name = expected_order[i].at("attention").get<std::string>();
    const auto head = expected_order[i].at("head").get<std::int64_t>();
    CHECK(order[i].normalised ==
          near(expected.at("heads").at(name).at("importance_l2_normalised"), head));
    found.emplace(golden_name(order[i]), order[i].head);
    ordered.emplace(name, head);
  }
  CHECK(found.size() == order.size());
  CHECK(found == ordered);
}

}  // namespace

TEST_CASE("head importance, ablation and pruning order match the golden ones", "[golden]") {
  for (const auto& name : test::golden_names("head_importance")) {
    CAPTURE(name);
    check_importance(GoldenImportance(name));
  }
}

TEST_CASE("the loss of each sentence alone is the golden one", "[golden]") {
  for (const auto& name : test::golden_names("head_importance")) {
    CAPTURE(name);
    const GoldenImportance golden(name);
    const auto& losses = golden.expected.json().at("nll_per_sentence");
    REQUIRE(losses.at("data").size() == golden.examples.size());
    for (std::size_t i = 0; i < golden.examples.size(); ++i)
      CHECK(golden.measured(std::span(golden.examples).subspan(i, 1), Ablation::none).nll ==
            near(losses, static_cast<std::int64_t>(i)));
  }
}

TEST_CASE("measuring head importance leaves the model unchanged", "[unit]") {
  const GoldenImportance golden(test::golden_names("head_importance").front());
  const auto& model = golden.model;
  std::vector<at::Tensor> before;
  for (const auto& weight : model->parameters()) before.push_back(weight.detach().clone());
  golden.measured(golden.examples, Ablation::each_head);
  const auto after = model->parameters();
  for (std::size_t i = 0; i < after.size(); ++i) {
    CHECK(test::same_bits(after[i].detach(), before[i]));
    CHECK_FALSE(after[i].grad().defined());
  }
}

}  // namespace head_importance_test
