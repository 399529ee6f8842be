#include "dragoman/analysis/worked_example.h"
#include "dragoman/analysis/worked_support.h"

namespace dragoman {

namespace {

using worked::attend;
using worked::inverse_root;
using worked::matrix;
using worked::vector;

/// scores, scaled, weights and output of one query, each named with `suffix`.
void add_chain(std::vector<Step>& steps, const at::Tensor& query, const at::Tensor& keys,
               const at::Tensor& values, const std::string& suffix) {
  const auto result = attend(query.unsqueeze(0), keys, values, inverse_root(keys.size(1)));
  const auto scores = keys.matmul(query);
  steps.push_back({.name = "scores" + suffix, .formula = "q1 K^T", .value = scores});
  steps.push_back({.name = "scaled" + suffix,
                   .formula = "scores / sqrt(d_k)",
                   .value = scores * inverse_root(keys.size(1))});
  steps.push_back(
      {.name = "weights" + suffix, .formula = "softmax(scaled)", .value = result.weights[0]});
  steps.push_back({.name = "output" + suffix, .formula = "weights V", .value = result.context[0]});
}

WorkedExample first_query() {
  const auto x = matrix({{0.2, 0.5, 0.1, 0.3}, {0.4, 0.1, 0.8, 0.2}, {0.3, 0.7, 0.2, 0.6}});
  const auto w_q = matrix({{0.2, 0.3, 0.1}, {0.4, 0.2, 0.5}, {0.1, 0.6, 0.3}, {0.3, 0.1, 0.4}});
  const auto k = matrix({{0.25, 0.35, 0.22}, {0.42, 0.18, 0.31}, {0.33, 0.28, 0.19}});
  const auto v = matrix({{0.3, 0.4, 0.2}, {0.5, 0.2, 0.6}, {0.4, 0.5, 0.3}});
  const auto q = x.matmul(w_q);
  const auto printed_q1 = vector({0.31, 0.33, 0.29});
  WorkedExample example = {
      .name = "first-query",
      .title = "One query of three words, from embedding to output",
      .document = std::string(worked::guide) + ", Self-Attention in Detail, steps 1 to 5",
      .steps = {{.name = "X", .formula = "embeddings of The, cat, sat", .value = x},
                {.name = "W_Q", .formula = "", .value = w_q},
                {.name = "Q", .formula = "X W_Q", .value = q},
                {.name = "q1",
                 .formula = "first row of Q",
                 .value = q[0],
                 .printed = printed_q1,
                 .digits = 2},
                {.name = "K", .formula = "as given", .value = k},
                {.name = "V", .formula = "as given", .value = v}},
      .remark =
          "The printed q1 is not x1 W_Q. Everything after it is right for the printed q1, up to "
          "intermediate rounding; the last four steps show what follows from the correct one."};
  auto& steps = example.steps;
  add_chain(steps, printed_q1, k, v, " from the printed q1");
  const auto first = steps.size() - 4;
  steps[first].printed = vector({0.257, 0.28, 0.25});
  steps[first + 1].printed = vector({0.148, 0.162, 0.144});
  steps[first + 2].printed = vector({0.332, 0.337, 0.331});
  steps[first + 3].printed = vector({0.401, 0.366, 0.367});
  const auto exponentials = steps[first + 1].value.exp();
  const Step exp = {.name = "exp from the printed q1",
                    .formula = "exp(scaled)",
                    .value = exponentials,
                    .printed = vector({1.16, 1.176, 1.155})};
  const Step sum = {.name = "sum from the printed q1",
                    .formula = "sum of exp",
                    .value = exponentials.sum(),
                    .printed = worked::scalar(3.491)};
  steps.insert(steps.begin() + static_cast<std::ptrdiff_t>(first) + 2, {exp, sum});
  add_chain(steps, q[0], k, v, "");
  return example;
}

/// X, scores, scaled, weights and output with X as Q, K and V.
WorkedExample plain_self_attention(const at::Tensor& x) {
  const auto result = attend(x, x, x, inverse_root(x.size(1)));
  const auto scores = x.matmul(x.t());
  return {.name = "",
          .title = "",
          .document = "",
          .steps = {{.name = "X", .formula = "Q = K = V", .value = x},
                    {.name = "scores", .formula = "X X^T", .value = scores},
                    {.name = "scaled",
                     .formula = "scores / sqrt(d_k)",
                     .value = scores * inverse_root(x.size(1))},
                    {.name = "weights",
                     .formula = "softmax(scaled), row by row",
                     .value = result.weights},
                    {.name = "output", .formula = "weights X", .value = result.context}},
          .remark = ""};
}

WorkedExample three_vectors() {
  auto example = plain_self_attention(matrix({{1, 0, 1, 0}, {0, 2, 0, 2}, {1, 1, 1, 1}}));
  example.name = "three-vectors";
  example.title = "Self-attention of three vectors without projections";
  example.document = std::string(worked::guide) + ", Practical Examples, example 1";
  example.remark =
      "Weights: the third entry of row 2 is 0.1173; 0.11 was forced so that the rounded "
      "row adds up to 1. Output: 0.7330 and 1.2670; the print adds rounded weights.";
  example.steps[1].printed = matrix({{2, 0, 2}, {0, 8, 4}, {2, 4, 4}});
  example.steps[2].printed = matrix({{1, 0, 1}, {0, 4, 2}, {1, 2, 2}});
  example.steps[3].printed = matrix({{.42, .16, .42}, {.02, .87, .11}, {.16, .42, .42}});
  example.steps[4].printed =
      matrix({{.84, .74, .84, .74}, {.13, 1.85, .13, 1.85}, {.58, 1.26, .58, 1.26}});
  example.steps[3].digits = example.steps[4].digits = 2;
  return example;
}

WorkedExample two_words() {
  auto example = plain_self_attention(matrix({{1, 0, 1}, {0, 1, 1}}));
  example.name = "two-words";
  example.title = "Self-attention of two words, every number by hand";
  example.document = std::string(worked::self_attention) + ", example 1";
  example.remark = "Each word keeps 0.64 of itself and takes 0.36 of the other.";
  example.steps[1].printed = matrix({{2, 1}, {1, 2}});
  example.steps[2].printed = matrix({{1.155, 0.577}, {0.577, 1.155}});
  example.steps[3].printed = matrix({{.64, .36}, {.36, .64}});
  example.steps[4].printed = matrix({{.64, .36, 1}, {.36, .64, 1}});
  example.steps[3].digits = example.steps[4].digits = 2;
  const Step exponentials = {.name = "exp of row 1",
                             .formula = "exp(scaled), first row",
                             .value = example.steps[2].value[0].exp()};
  example.steps.insert(example.steps.begin() + 3, exponentials);
  return example;
}

WorkedExample three_words() {
  const auto x = matrix({{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}});
  const auto w_q = matrix({{1, 0, 0, 1}, {0, 1, 0, 1}, {0, 0, 1, 1}, {1, 1, 1, 0}});
  const auto w_k = matrix({{0, 1, 1, 0}, {1, 0, 1, 0}, {1, 1, 0, 0}, {0, 0, 0, 1}});
  const auto w_v = matrix({{1, 1, 0, 0}, {0, 1, 1, 0}, {0, 0, 1, 1}, {1, 0, 0, 1}});
  const auto q = x.matmul(w_q), k = x.matmul(w_k), v = x.matmul(w_v);
  const auto right = attend(q, k, v, inverse_root(4)), unscaled = attend(q, k, v, 1.0);
  const auto printed_weights = matrix({{.155, .422, .422}, {.422, .155, .422}, {.422, .422, .155}});
  const auto printed_output =
      matrix({{.155, .577, .844, .422}, {.422, .577, .577, .422}, {.422, .844, .577, .155}});
  return {.name = "three-words",
          .title = "A sentence of three words with all three projections",
          .document = std::string(worked::self_attention) + ", example 2",
          .steps = {{.name = "X", .formula = "one-hot embeddings", .value = x},
                    {.name = "W_Q", .formula = "", .value = w_q},
                    {.name = "W_K", .formula = "", .value = w_k},
                    {.name = "W_V", .formula = "", .value = w_v},
                    {.name = "Q", .formula = "X W_Q", .value = q},
                    {.name = "K", .formula = "X W_K", .value = k},
                    {.name = "V", .formula = "X W_V", .value = v},
                    {.name = "scores", .formula = "Q K^T", .value = q.matmul(k.t())},
                    {.name = "scaled", .formula = "scores / sqrt(4)", .value = q.matmul(k.t()) / 2},
                    {.name = "weights",
                     .formula = "softmax(scaled), row by row",
                     .value = right.weights,
                     .printed = printed_weights},
                    {.name = "output",
                     .formula = "weights V",
                     .value = right.context,
                     .printed = printed_output},
                    {.name = "weights without scaling",
                     .formula = "softmax(scores)",
                     .value = unscaled.weights,
                     .printed = printed_weights},
                    {.name = "output without scaling",
                     .formula = "softmax(scores) V",
                     .value = unscaled.context,
                     .printed = printed_output}},
          .remark =
              "The print omits the division by sqrt(d_k) = 2 that its own formula requires; the "
              "last two steps show that it is the unscaled result, truncated instead of rounded."};
}

WorkedExample weighted_sum() {
  const auto v = matrix({{1, 0, 2}, {0, 3, 1}, {2, 1, 0}});
  const auto alpha = vector({0.2, 0.5, 0.3});
  return {.name = "weighted-sum",
          .title = "Weights times values",
          .document = std::string(worked::self_attention) + ", step 5",
          .steps = {{.name = "V", .formula = "", .value = v},
                    {.name = "alpha", .formula = "weights", .value = alpha},
                    {.name = "output",
                     .formula = "alpha V",
                     .value = alpha.matmul(v),
                     .printed = vector({0.8, 1.8, 0.9}),
                     .digits = 1}},
          .remark = ""};
}

}  // namespace

std::vector<WorkedExample> attention_examples() {
  return {two_words(), weighted_sum(), first_query(), three_vectors(), three_words()};
}

}  // namespace dragoman
