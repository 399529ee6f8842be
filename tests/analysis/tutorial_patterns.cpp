#include "analysis/teacher_forced.h"
#include "analysis/tutorial_checks.h"
#include "attention/attention_support.h"
#include "dragoman/analysis/introductory_attention.h"
#include "dragoman/attention/full.h"
#include "dragoman/tensor/mask.h"

namespace test {

namespace tutorial_patterns {

namespace {

using dragoman::AttentionKind;
using dragoman::AttentionMask;
using dragoman::HeadAttention;

/// Random vectors; the properties below hold for all.
at::Tensor some_vectors() {
  at::manual_seed(4);
  return at::randn({7, 5}, at::kDouble);
}

at::Tensor self_attention(const at::Tensor& x) {
  return dragoman::worked::attend(x, x, x, dragoman::worked::inverse_root(x.size(1))).context;
}

/// Local attention with the tutorial's window, which is named by the radius plus 1.
at::Tensor pairs_of_window(std::int64_t window, std::int64_t len) {
  return seen_pairs({.kind = AttentionKind::local, .radius = window - 1}, len);
}

at::Tensor positions_in(const at::Tensor& row, double first) {
  return row.nonzero().flatten().to(at::kDouble) + first;
}

/// a w + b through (2, at_two) and (3, at_three), as text such as "2w-1".
std::string in_terms_of_window(std::int64_t at_two, std::int64_t at_three) {
  const auto slope = at_three - at_two, rest = at_two - 2 * slope;
  const auto sign = rest < 0 ? "" : "+";
  return (slope == 1 ? "" : std::to_string(slope)) + "w" + sign + std::to_string(rest);
}

/// The keys of a query far from both ends.
std::int64_t keys_of_window(std::int64_t window) {
  return pairs_of_window(window, 4 * window + 1)[2 * window].sum().item<std::int64_t>();
}

/// "window_2_matrix_n5" has all pairs, "window_3_position_5" the keys of a position counted from 1.
void check_windows(TutorialCase& example) {
  for (const auto& [name, stored] : example.all_correct().items()) {
    if (!name.starts_with("window_")) continue;
    const std::int64_t window = std::stoll(name.substr(std::string("window_").size()));
    const auto last = name.find_last_of("n_") + 1;
    const std::int64_t number = std::stoll(name.substr(last));
    if (name.find("matrix") != std::string::npos)
      example.check(name, pairs_of_window(window, number).to(at::kDouble));
    else
      example.check(name, positions_in(pairs_of_window(window, number + window)[number - 1], 1));
  }
  const auto two = keys_of_window(2), three = keys_of_window(3);
  example.check_equal("keys_per_query", in_terms_of_window(two, three));
  example.check_equal("radius_of_window", in_terms_of_window((two - 1) / 2, (three - 1) / 2));
}

/// Names of counts end with their radius: "window_3_radius_2".
void check_global_and_local(TutorialCase& example) {
  const auto len = example.stated_size("n=");
  const auto count = [&](const HeadAttention& options) {
    return seen_pairs(options, len).sum().item<std::int64_t>();
  };
  REQUIRE_FALSE(example.all_correct().at("allowed_pairs").empty());
  for (const auto& [name, pairs] : example.all_correct().at("allowed_pairs").items()) {
    const std::int64_t radius = std::stoll(name.substr(name.find_last_of('_') + 1));
    example.check_equal("allowed_pairs/" + name, count({.kind = AttentionKind::global_local,
                                                        .radius = radius,
                                                        .global_positions = {0, -1}}));
  }
  example.check_equal("full", count({.kind = AttentionKind::full}));
}

void check_strided(TutorialCase& example) {
  const auto query = example.stated_size("position ");
  const auto keys = [&](AttentionKind kind) {
    const auto pairs = seen_pairs({.kind = kind, .stride = example.stated_size("stride ")},
                                  example.stated_size("n="));
    return positions_in(pairs[query], 0);
  };
  example.check("keys", keys(AttentionKind::strided));
  example.check("relative_variant", keys(AttentionKind::strided_relative));
}

/// The printed weights are those of the causal mask for scores of their logarithms, whatever the
/// hidden scores.
void check_masked_rows(TutorialCase& example) {
  const auto weights = plain_tensor(example.correct("A"));
  const auto scores = weights.log().masked_fill(weights == 0, 3.0);
  const auto unit = at::eye(scores.size(1), scores.options()).unsqueeze(0).unsqueeze(0);
  const auto mask = AttentionMask::causal(scores.size(1), scores.options());
  const auto result =
      dragoman::scaled_dot_product_attention(scores.unsqueeze(0).unsqueeze(0), {unit, unit}, mask,
                                             {.need_weights = dragoman::NeedWeights::yes});
  example.check("A", result.weights[0][0]);
}

void check_causal_words(TutorialCase& example) {
  const auto forced =
      teacher_forced(example.all_correct().at("predicts").get<std::vector<std::string>>());
  example.check_equal("inputs", forced.input);
  example.check_equal("predicts", forced.output);
  const auto allow = dragoman::causal_mask(std::ssize(forced.input));
  auto visible = nlohmann::json::array();
  for (std::int64_t i = 0; i < allow.size(0); ++i) {
    auto words = nlohmann::json::array();
    for (std::int64_t j = 0; j < allow.size(1); ++j)
      if (allow[i][j].item<bool>()) words.push_back(forced.input[static_cast<std::size_t>(j)]);
    visible.push_back(words);
  }
  example.check_equal("visible", visible);
}

void check_permutation(TutorialCase& example) {
  example.is_prose("property");
  const auto x = some_vectors();
  const auto order = at::randperm(x.size(0), at::kLong);
  CHECK_THAT(self_attention(x.index_select(0, order)),
             close_to(self_attention(x).index_select(0, order)));
}

void check_first_token(TutorialCase& example) {
  example.is_prose("policy");
  const auto x = some_vectors();
  CHECK(dragoman::dot_of_past(x)[0].abs().max().item<double>() == 0.0);
  const auto pairs = seen_pairs({.kind = AttentionKind::full}, x.size(0),
                                AttentionMask::structured({}, /*causal=*/true));
  CHECK(pairs.any(1).all().item<bool>());
}

void check_tiles(TutorialCase& example) {
  example.is_prose("max_abs_difference_to_plain");
  const auto x = some_vectors().unsqueeze(0).unsqueeze(0);
  const auto tiled = dragoman::tiled_attention(x, {x, x}, {}, {}, 2).context;
  const auto plain = dragoman::scaled_dot_product_attention(x, {x, x}, {}, {}).context;
  CHECK((tiled - plain).abs().max().item<double>() < 1e-14);
}

}  // namespace

}  // namespace tutorial_patterns

TutorialChecks pattern_checks() {
  using namespace tutorial_patterns;
  return {{"000.causal_text", check_causal_words},
          {"000.permutation", check_permutation},
          {"001.masked_rows", check_masked_rows},
          {"001.local_window", check_windows},
          {"001.global_local", check_global_and_local},
          {"001.strided", check_strided},
          {"001.flash", check_tiles},
          {"002.first_token", check_first_token}};
}

}  // namespace test
