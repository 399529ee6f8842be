#include "analysis/tutorial_checks.h"
#include "dragoman/analysis/head_statistics.h"
#include "dragoman/config/model_options.h"
#include "dragoman/core/concat.h"

#include <torch/autograd.h>

#include <cmath>
#include <regex>

namespace test {

namespace tutorial_softmax {

namespace {

using dragoman::concat;
using dragoman::worked::inverse_root;

/// Exponentials, their sum and the weights, under these names.
void check_parts(TutorialCase& example, const at::Tensor& scores, const char* weights) {
  example.check("exp", scores.exp());
  example.check("sum", exponentials_sum(scores));
  example.check(weights, softmax_of(scores));
}

void check_first_softmax(TutorialCase& example) {
  check_parts(example, plain_tensor(worked_example("000.scaled").at("correct").at("scaled")),
              "weights");
}

void check_intuition(TutorialCase& example) {
  check_parts(example, example.input_tensor("x"), "p");
}

void check_weights_of_scores(TutorialCase& example) {
  const auto* name = example.all_correct().contains("p") ? "p" : "weights";
  example.check(name, softmax_of(example.input_tensor("scores")));
}

void check_saturated(TutorialCase& example) {
  const auto x = example.input_tensor("x").requires_grad_();
  const auto p = softmax_of(x);
  example.check("p", p, {.relative = 1e-9, .absolute = 0.0});
  std::vector<at::Tensor> rows;
  for (std::int64_t i = 0; i < p.size(0); ++i)
    rows.push_back(torch::autograd::grad({p[i]}, {x}, {}, /*retain_graph=*/true)[0]);
  example.check("max_abs_jacobian", at::stack(rows).abs().max());
}

/// The numbers of an object of printed weights, and of how many words each is.
std::vector<std::pair<double, std::int64_t>> printed_weights(const TutorialCase& example) {
  std::vector<std::pair<double, std::int64_t>> weights;
  for (const auto& [words, weight] : example.json().at("as_printed").items())
    if (words != "others")
      weights.emplace_back(weight.get<double>(), std::count(words.begin(), words.end(), '/') + 1);
  return weights;
}

/// What attention's weights add up to for any scores, and what the printed ones do.
void check_printed_sum(TutorialCase& example) {
  double sum = 0.0;
  std::vector<double> scores;
  for (const auto& [weight, words] : printed_weights(example)) {
    sum += weight * static_cast<double>(words);
    scores.push_back(weight);
  }
  const auto* printed = example.all_correct().contains("printed_sum_if_each")
                            ? "printed_sum_if_each"
                            : "printed_sum_without_others";
  example.check("required_sum", softmax_of(at::tensor(scores, at::kDouble)).sum());
  example.check(printed, sum);
}

void check_matches(TutorialCase& example) {
  const auto matches = plain_tensor(example.correct("matches"));
  CHECK(example.json().at("as_printed").at("use") == example.correct("matches"));
  example.check("sum", exponentials_sum(scores_for(matches)));
  example.check("divided_by_sum", softmax_of(scores_for(matches)));
  example.check("softmax", softmax_of(matches));
}

void check_adjectives(TutorialCase& example) {
  std::vector<at::Tensor> sums;
  for (const auto& [word, row] : example.json().at("as_printed").items())
    sums.push_back(exponentials_sum(scores_for(plain_tensor(row))));
  // The rows of the print are named, not in order.
  const auto expected = plain_tensor(example.correct("sums"));
  CHECK_THAT(std::get<0>(at::stack(sums).sort()), close_to(std::get<0>(expected.sort())));
}

/// The definition has the rows' words and weights: "The [.7,.2,..,.1], cat [.1,.6,..,.3], ...".
void check_largest(TutorialCase& example) {
  const auto text = example.json().at("definition").get<std::string>();
  static const std::regex row("(\\w+) \\[([^\\]]*)\\]"), number("\\d*\\.\\d+");
  std::vector<std::string> words;
  std::string last;
  for (std::sregex_iterator at(text.begin(), text.end(), row), end; at != end; ++at) {
    words.push_back((*at)[1]);
    last = (*at)[2];
  }
  std::vector<double> weights;
  for (std::sregex_iterator at(last.begin(), last.end(), number), end; at != end; ++at)
    weights.push_back(std::stod(at->str()));
  REQUIRE_FALSE(weights.empty());
  const auto of_last = at::tensor(weights, at::kDouble);
  dragoman::HeadStatisticsSum sum;
  sum.add(of_last.view({1, 1, 1, -1}), at::ones({1, 1}, at::kBool),
          at::ones({1, 1, 1, 1}, at::kBool));
  const auto word = words.at(static_cast<std::size_t>(of_last.argmax().item<std::int64_t>()));
  example.check_equal("largest_of_" + words.back(),
                      concat(word, " (", sum.means().front().max_weight, ")"));
}

/// The variance of the scores of a query with keys of uncorrelated components of mean 0 and
/// variance 1: the vectors of one component of +-sqrt(d_k).
double variance_of_scores(std::int64_t d_k, double scale) {
  const auto unit = at::eye(d_k, at::kDouble) / inverse_root(d_k);
  const auto vectors = at::cat({unit, -unit});
  return scores_of(vectors.narrow(0, 0, 1), vectors, scale).square().mean().item<double>();
}

void check_variance(TutorialCase& example) {
  std::vector<double> plain, scaled;
  for (const auto& d_k : example.correct("d_k")) {
    plain.push_back(variance_of_scores(d_k, 1.0));
    scaled.push_back(variance_of_scores(d_k, inverse_root(d_k)));
  }
  example.check("variance", at::tensor(plain, at::kDouble));
  example.check("scaled_variance", at::tensor(scaled, at::kDouble));
}

void check_deviation(TutorialCase& example) {
  const double deviation = std::sqrt(variance_of_scores(example.stated_size("d_k = "), 1.0));
  example.check("std", deviation);
  for (const auto& [name, sigmas] : example.all_correct().items())
    if (name.ends_with("_in_sigmas")) example.check(name, std::stod(name) / deviation);
}

void check_purpose_of_scale(TutorialCase& example) {
  const auto d_k = dragoman::ModelOptions().key_width();
  const double variance = variance_of_scores(d_k, inverse_root(d_k));
  CHECK(variance == Approx(std::round(variance)).epsilon(1e-12));
  example.check_equal("scale_purpose",
                      concat("variance ", std::lround(variance), " before softmax"));
}

}  // namespace

}  // namespace tutorial_softmax

TutorialChecks softmax_checks() {
  using namespace tutorial_softmax;
  return {{"000.softmax", check_first_softmax},
          {"000.softmax_saturated", check_saturated},
          {"000.intuition_weights", check_printed_sum},
          {"000.variance", check_variance},
          {"001.library", check_matches},
          {"001.it_weights", check_printed_sum},
          {"001.scaling_", check_weights_of_scores},
          {"001.softmax_intuition", check_intuition},
          {"001.pronoun", check_weights_of_scores},
          {"001.adjectives", check_adjectives},
          {"001.head2_map", check_largest},
          {"001.dot_", check_deviation},
          {"004.scaled_for_efficiency", check_purpose_of_scale}};
}

}  // namespace test
