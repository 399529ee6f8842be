#include "dragoman/analysis/head_roles.h"
#include "dragoman/model/transformer.h"
#include "dragoman/tensor/mask.h"
#include "support/golden_module.h"

#include <cmath>
#include <map>

namespace head_statistics_test {

using namespace dragoman;

namespace {

/// The attention of a golden model under teacher forcing.
struct GoldenPass {
  AttentionRecord record;
  at::Tensor source_mask, target_mask;

  explicit GoldenPass(const test::GoldenCase& golden) {
    auto model = test::golden_transformer(golden);
    const torch::NoGradGuard no_gradient;
    const auto pad = test::golden_pad(golden);
    source_mask = golden.input("src").ne(pad);
    target_mask = golden.input("tgt_out").ne(pad);
    const auto memory = model->encode(golden.input("src"), source_mask, &record);
    model->decode(golden.input("tgt_in"), memory, source_mask, &record);
  }
};

void check_heads(const HeadStatisticsSum& sum, const nlohmann::json& expected) {
  static const std::map<std::string, double HeadStatistics::*> statistics = {
      {"entropy", &HeadStatistics::entropy},
      {"max_weight", &HeadStatistics::max_weight},
      {"mean_distance", &HeadStatistics::mean_distance},
      {"mass_previous", &HeadStatistics::mass_previous},
      {"mass_self", &HeadStatistics::mass_self},
      {"mass_next", &HeadStatistics::mass_next}};
  const auto heads = sum.means();
  CHECK((expected.contains("entropy") && expected.contains("max_weight")));
  for (const auto& [name, of_statistic] : expected.items()) {
    const auto member = statistics.at(name);
    const auto& values = of_statistic.at("data");
    REQUIRE(heads.size() == values.size());
    for (std::size_t h = 0; h < heads.size(); ++h) {
      CAPTURE(name, h);
      CHECK(heads[h].*member == test::Approx(values[h].get<double>()).epsilon(1e-9));
    }
  }
}

/// One head over `len` positions whose query i attends to key i + offset if it exists, else to
/// itself.
HeadStatistics planted(std::int64_t len, std::int64_t offset) {
  auto weights = at::zeros({1, 1, len, len}, at::kDouble);
  for (std::int64_t i = 0; i < len; ++i) {
    const auto key = i + offset;
    weights[0][0][i][key >= 0 && key < len ? key : i] = 1.0;
  }
  HeadStatisticsSum sum;
  sum.add(weights, at::ones({1, len}, at::kBool), at::ones({1, 1, 1, len}, at::kBool));
  return sum.means().front();
}

void check_statistics(const test::GoldenCase& expected) {
  const GoldenPass pass({expected.params().at("model"), at::kDouble});
  const auto source_keys = pass.source_mask.unsqueeze(1).unsqueeze(1);
  const auto past =
      pass.target_mask.unsqueeze(1).unsqueeze(1) & causal_mask(pass.target_mask.size(1));
  const auto& outputs = test::golden_list(expected.json(), "outputs");
  CHECK(outputs.size() == pass.record.encoder_self.size() + pass.record.decoder_self.size() +
                              pass.record.cross.size());
  for (const auto& [name, stored] : outputs.items()) {
    CAPTURE(name);
    // Four are of distances, which are between positions of one text.
    CHECK(stored.size() == (name.ends_with("cross_attn") ? 2 : 6));
    const auto layer = test::layer_of(name);
    HeadStatisticsSum sum;
    if (name.rfind("encoder", 0) == 0)
      sum.add(pass.record.encoder_self.at(layer), pass.source_mask, source_keys);
    else if (name.find("cross") != std::string::npos)
      sum.add(pass.record.cross.at(layer), pass.target_mask, source_keys);
    else
      sum.add(pass.record.decoder_self.at(layer), pass.target_mask, past);
    check_heads(sum, stored);
  }
}

}  // namespace

TEST_CASE("head statistics match the golden ones, padding excluded", "[golden]") {
  for (const auto& name : test::golden_names("attention_statistics")) {
    CAPTURE(name);
    check_statistics({name, at::kDouble});
  }
}

TEST_CASE("uniform weights have relative entropy 1 and the role spread", "[unit]") {
  HeadStatisticsSum sum;
  const auto visible = at::arange(4).lt(3).view({1, 1, 1, 4});
  sum.add(
      at::tensor({1.0, 1.0, 1.0, 0.0}, at::kDouble).view({1, 1, 1, 4}).expand({1, 1, 3, 4}) / 3.0,
      at::ones({1, 3}, at::kBool), visible);
  const auto head = sum.means().front();
  CHECK(head.entropy == test::Approx(std::log(3.0)));
  CHECK(head.relative_entropy == test::Approx(1.0));
  CHECK(head.mass_last == test::Approx(1.0 / 3.0));
  CHECK(roles_of(AttentionPart::cross, head) == std::vector<std::string>{"spread"});
}

TEST_CASE("for negative weights the magnitude counts, as a share of the query's total", "[unit]") {
  HeadStatisticsSum sum;
  const auto weights = at::tensor({0.3, -0.9, 0.3, 0.0, 0.0, 0.0}, at::kDouble).view({1, 1, 2, 3});
  sum.add(weights, at::tensor({1, 0}).to(at::kBool).view({1, 2}),
          at::ones({1, 1, 1, 3}, at::kBool));
  const auto head = sum.means().front();
  CHECK(head.max_weight == test::Approx(0.6));
  CHECK(head.mass_next == test::Approx(0.6));
  CHECK(head.entropy == test::Approx(-0.6 * std::log(0.6) - 0.4 * std::log(0.2)));
}

TEST_CASE("synthetic heads are assigned their roles", "[unit]") {
  using Roles = std::vector<std::string>;
  CHECK(roles_of(AttentionPart::encoder, planted(12, -1)) ==
        Roles{"previous", "short range", "sharp"});
  CHECK(roles_of(AttentionPart::encoder, planted(12, 1)) == Roles{"next", "short range", "sharp"});
  CHECK(roles_of(AttentionPart::encoder, planted(12, 0)) == Roles{"self", "short range", "sharp"});
  CHECK(planted(24, 10).mean_distance == test::Approx(14 * 10.0 / 24));
  CHECK(roles_of(AttentionPart::encoder, planted(24, 10)) == Roles{"long range", "sharp"});
}

TEST_CASE("a head that attends to similar embeddings is semantic", "[unit]") {
  const auto likeness =
      at::tensor({0.0, 0.9, 0.1, 0.9, 0.0, 0.2, 0.1, 0.2, 0.0}, at::kDouble).view({1, 3, 3});
  HeadStatisticsSum sum;
  const auto weights = (likeness / likeness.sum(-1, true)).unsqueeze(1);
  sum.add(weights, at::ones({1, 3}, at::kBool), at::ones({1, 1, 1, 3}, at::kBool), likeness);
  CHECK(sum.means().front().semantic > 0.5);
  HeadStatisticsSum opposite;
  const auto unlike = (1.0 - likeness) * (1.0 - at::eye(3, at::kDouble));
  opposite.add((unlike / unlike.sum(-1, true)).unsqueeze(1), at::ones({1, 3}, at::kBool),
               at::ones({1, 1, 1, 3}, at::kBool), likeness);
  CHECK(opposite.means().front().semantic < -0.5);
}

TEST_CASE("the claim on layers is confirmed only if distances rise", "[unit]") {
  const auto layer = [](std::int64_t number, double distance) {
    return LayerSummary{.kind = AttentionPart::encoder, .layer = number, .mean_distance = distance};
  };
  CHECK(distance_verdict({layer(0, 1.5), layer(1, 2.0), layer(2, 4.0)}, AttentionPart::encoder) ==
        "confirmed");
  CHECK(distance_verdict({layer(0, 1.5), layer(1, 4.0), layer(2, 2.0)}, AttentionPart::encoder) ==
        "not confirmed");
  CHECK(distance_verdict({layer(0, 1.5)}, AttentionPart::encoder) == "not testable with one layer");
}

}  // namespace head_statistics_test
