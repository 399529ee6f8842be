#include "dragoman/analysis/worked_example.h"
#include "dragoman/analysis/worked_support.h"

namespace dragoman {

namespace {

using worked::matrix;
using worked::scalar;
using worked::vector;

WorkedExample softmax_of_four() {
  const auto x = vector({2, 4, 1, 3});
  return {.name = "softmax",
          .title = "From scores to weights: exponentials divided by their sum",
          .document = std::string(worked::self_attention) + ", step 4",
          .steps = {{.name = "x", .formula = "scores", .value = x},
                    {.name = "exp",
                     .formula = "exp(x)",
                     .value = x.exp(),
                     .printed = vector({7.39, 54.6, 2.72, 20.1}),
                     .digits = 1},
                    {.name = "sum",
                     .formula = "sum of exp",
                     .value = x.exp().sum(),
                     .printed = scalar(84.81),
                     .digits = 2},
                    {.name = "p",
                     .formula = "softmax(x)",
                     .value = x.softmax(-1),
                     .printed = vector({0.087, 0.644, 0.032, 0.237})}},
          .remark = "The sum is 84.79; 84.81 adds the rounded exponentials."};
}

/// d p_i / d x_j = p_i (1 if i = j) - p_i p_j
at::Tensor softmax_jacobian(const at::Tensor& p) { return at::diag(p) - at::outer(p, p); }

WorkedExample saturation() {
  const auto scores = vector({32, 48, 16, 40});
  const auto extreme = vector({100, 1, 2});
  const auto p = extreme.softmax(-1);
  return {.name = "saturation",
          .title = "Why scores are divided by sqrt(d_k): unscaled scores leave no gradient",
          .document = std::string(worked::self_attention) + ", step 3, and " + worked::guide +
                      ", Gradient Flow Analysis",
          .steps = {{.name = "scores", .formula = "d_k = 64", .value = scores},
                    {.name = "p unscaled",
                     .formula = "softmax(scores)",
                     .value = scores.softmax(-1),
                     .printed = vector({0.0003, 0.9994, 0, 0.0003}),
                     .digits = 4},
                    {.name = "scaled", .formula = "scores / sqrt(64)", .value = scores / 8},
                    {.name = "p scaled",
                     .formula = "softmax(scaled)",
                     .value = (scores / 8).softmax(-1),
                     .printed = vector({0.09, 0.66, 0.01, 0.24}),
                     .digits = 2},
                    {.name = "x", .formula = "an extreme case", .value = extreme},
                    {.name = "p",
                     .formula = "softmax(x)",
                     .value = p,
                     .printed = vector({1, 0, 0}),
                     .digits = 4},
                    {.name = "largest derivative",
                     .formula = "max of |diag(p) - p p^T|",
                     .value = softmax_jacobian(p).abs().max()}},
          .remark =
              "Unscaled, the first weight is 1.1e-7 and the second 0.9997: the print's 0.0003 and "
              "0.9994 are wrong. No useful gradient passes through such a softmax."};
}

WorkedExample pronoun() {
  const auto scores = vector({0.2, 0.9, 0.3, 0.1, 0.4, 0.2, 0.3, 0.1, 0.7});
  const std::vector<std::string> words = {"The",     "cat", "ate", "the",   "fish",
                                          "because", "it",  "was", "hungry"};
  return {.name = "pronoun",
          .title = "What \"it\" attends to in \"The cat ate the fish because it was hungry\"",
          .document = std::string(worked::self_attention) + ", example 3",
          .steps = {{.name = "scores",
                     .formula = "of the query \"it\"",
                     .value = scores,
                     .columns = words},
                    {.name = "weights",
                     .formula = "softmax(scores)",
                     .value = scores.softmax(-1),
                     .printed = vector({.03, .45, .04, .02, .08, .03, .04, .02, .29}),
                     .digits = 2,
                     .columns = words}},
          .remark =
              "Softmax of these scores gives cat 0.18 and hungry 0.15; the print's 0.45 and 0.29 "
              "follow from them at no temperature."};
}

WorkedExample sums_to_one() {
  const auto matches = vector({0.3, 0.4, 0, 0.9});
  return {
      .name = "weights-sum",
      .title = "Matches are not weights: the weights of a query add up to 1",
      .document = std::string(worked::self_attention) + ", analogies 1 and 2 and example 4, and " +
                  worked::guide + ", What is Attention?",
      .steps =
          {{.name = "matches", .formula = "30 %, 40 %, 0 %, 90 % of the query", .value = matches},
           {.name = "sum", .formula = "of the matches", .value = matches.sum()},
           {.name = "divided by sum", .formula = "matches / sum", .value = matches / matches.sum()},
           {.name = "softmax", .formula = "softmax(matches)", .value = matches.softmax(-1)},
           {.name = "sum of \"it\"",
            .formula = "animal 0.7 + street 0.2 + tired 0.5",
            .value = vector({0.7, 0.2, 0.5}).sum()},
           {.name = "sum of \"slept\"",
            .formula = "cat 0.4 + sat 0.3 + slept 0.2 + the, on, and 0.1 each",
            .value = vector({0.4, 0.3, 0.2, 0.1, 0.1, 0.1}).sum()},
           {.name = "sums of big, red and car",
            .formula = "of the weights printed in example 4",
            .value =
                matrix({{0.6, 0.2, 0.1, 0.1}, {0.7, 0.2, 0.1, 0}, {0.4, 0.3, 0.2, 0.1}}).sum(-1)}},
      .remark =
          "Printed as weights, the first three add up to 1.6, 1.4 and 1.2; softmax cannot do "
          "that. Those of example 4 add up to 1."};
}

WorkedExample variance() {
  const auto d_k = vector({4, 64, 512});
  return {
      .name = "variance",
      .title = "How large scores are: Var[q.k] = d_k for components of mean 0 and variance 1",
      .document = std::string(worked::guide) + ", step 3, and " + worked::self_attention +
                  ", Training Instability",
      .steps = {{.name = "d_k", .formula = "", .value = d_k},
                {.name = "variance", .formula = "d_k Var[q_i] Var[k_i]", .value = d_k * 1.0 * 1.0},
                {.name = "scaled variance",
                 .formula = "variance / sqrt(d_k)^2",
                 .value = d_k / d_k.sqrt().square()},
                {.name = "deviation", .formula = "sqrt(512)", .value = d_k[2].sqrt()},
                {.name = "100 in deviations",
                 .formula = "100 / sqrt(512)",
                 .value = 100.0 / d_k[2].sqrt()}},
      .remark =
          "'dragoman analyze scale' samples it. Scores of +-100 at d_k = 512, as in one document, "
          "are 4.4 standard deviations away: one pair in 10^5."};
}

}  // namespace

std::vector<WorkedExample> softmax_examples() {
  return {softmax_of_four(), saturation(), variance(), pronoun(), sums_to_one()};
}

}  // namespace dragoman
