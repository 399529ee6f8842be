#include "dragoman/analysis/introductory_attention.h"
#include "dragoman/analysis/worked_example.h"
#include "dragoman/analysis/worked_support.h"
#include "dragoman/tensor/mask.h"

namespace dragoman {

namespace {

using worked::matrix;
using worked::scalar;
using worked::vector;

/// |i - j| for queries i and keys j. \return [len, len] float64
at::Tensor distances(std::int64_t len) {
  const auto positions = torch::arange(len, torch::kDouble);
  return (positions.unsqueeze(1) - positions).abs();
}

at::Tensor as_numbers(const at::Tensor& allow) { return allow.to(torch::kDouble); }

/// Positions of the keys that a row of `allow` permits. \param first number of the first position
at::Tensor keys_of(const at::Tensor& row, double first) {
  return row.nonzero().squeeze(1).to(torch::kDouble) + first;
}

WorkedExample causal_example() {
  const auto weights = matrix({{1, 0, 0, 0}, {.3, .7, 0, 0}, {.2, .3, .5, 0}, {.1, .2, .3, .4}});
  return {.name = "causal",
          .title = "Masked self-attention: a word sees itself and its predecessors",
          .document = std::string(worked::self_attention) + ", Masked Self-Attention, and " +
                      worked::guide + ", Masked Self-Attention",
          .steps = {{.name = "A", .formula = "weights as given", .value = weights},
                    {.name = "row sums",
                     .formula = "",
                     .value = weights.sum(-1),
                     .printed = vector({1, 1, 1, 1}),
                     .digits = 6},
                    {.name = "right of the diagonal",
                     .formula = "largest",
                     .value = weights.triu(1).max()},
                    {.name = "visible",
                     .formula = "j <= i, on the target shifted right by START",
                     .value = as_numbers(causal_mask(3)),
                     .rows = {"writes The", "writes cat", "writes sat"},
                     .columns = {"START", "The", "cat"}}},
          .remark = "The guide's table has no START position, so nothing predicts the first word."};
}

WorkedExample local_example() {
  const auto window = [](std::int64_t len, double w) { return distances(len) <= w - 1; };
  const auto local = window(16, 3);
  return {.name = "local-window",
          .title = "Local attention with a window of w: |i - j| <= w - 1",
          .document = std::string(worked::self_attention) + ", Local/Windowed Attention",
          .steps = {{.name = "window 2",
                     .formula = "5 positions",
                     .value = as_numbers(window(5, 2)),
                     .printed = matrix({{1, 1, 0, 0, 0},
                                        {1, 1, 1, 0, 0},
                                        {0, 1, 1, 1, 0},
                                        {0, 0, 1, 1, 1},
                                        {0, 0, 0, 1, 1}})},
                    {.name = "window 3 at 5",
                     .formula = "keys, counted from 1",
                     .value = keys_of(local[4], 1),
                     .printed = vector({3, 4, 5, 6, 7})},
                    {.name = "window 3 at 10",
                     .formula = "keys, counted from 1",
                     .value = keys_of(local[9], 1),
                     .printed = vector({8, 9, 10, 11, 12})}},
          .remark = "The text says \"a window of w positions\"; its examples show 2 w - 1."};
}

WorkedExample global_local_example() {
  constexpr std::int64_t len = 101;
  const auto ends =
      torch::zeros({len}, torch::kBool).index_fill(0, torch::tensor({0L, len - 1}), 1);
  const auto pairs = [&](double radius) {
    return ((distances(len) <= radius) | ends.unsqueeze(0) | ends.unsqueeze(1))
        .sum()
        .to(torch::kDouble);
  };
  return {.name = "global-local",
          .title = "Global and local attention: number of attended pairs for 101 positions",
          .document = std::string(worked::self_attention) + ", Global + Local Attention",
          .steps = {{.name = "radius 2",
                     .formula = "five local keys; both ends global",
                     .value = pairs(2)},
                    {.name = "radius 4",
                     .formula = "a window of 5 as in the local example",
                     .value = pairs(4)},
                    {.name = "full", .formula = "101^2", .value = scalar(len * len)}},
          .remark = "\"A window of 5\" is ambiguous in the text; both readings are counted."};
}

WorkedExample strided_example() {
  constexpr std::int64_t len = 16, stride = 3, query = 10;
  const auto keys = torch::arange(len);
  return {.name = "strided",
          .title = "Strided attention: the keys of position 10 at stride 3",
          .document = std::string(worked::self_attention) + ", Strided Attention",
          .steps = {{.name = "absolute",
                     .formula = "j mod 3 = 0, and j = i",
                     .value = keys_of((keys.remainder(stride) == 0) | (keys == query), 0),
                     .printed = vector({0, 3, 6, 9, 10, 12, 15})},
                    {.name = "relative",
                     .formula = "(i - j) mod 3 = 0, the common definition",
                     .value = keys_of((query - keys).remainder(stride) == 0, 0)}},
          .remark = ""};
}

WorkedExample past_example() {
  const auto x = matrix({{1, 0, 1, 0}, {0, 2, 0, 2}, {1, 1, 1, 1}});
  return {
      .name = "past",
      .title = "Before queries, keys and values: the sum of the past, then weighted by x_i . x_j",
      .document =
          std::string(worked::transformers) + ", part 1; X of " + worked::guide + ", example 1",
      .steps = {{.name = "X", .formula = "", .value = x},
                {.name = "sum of the past",
                 .formula = "sum over j < i of x_j",
                 .value = sum_of_past(x)},
                {.name = "weighted past",
                 .formula = "sum over j < i of softmax_j(x_i . x_j) x_j",
                 .value = dot_of_past(x)}},
      .remark =
          "The first word has no past: its row is zero here. The document's final formula has "
          "j <= i, with which each row has a key."};
}

WorkedExample permutation_example() {
  const auto x = matrix({{1, 0, 1, 0}, {0, 2, 0, 2}, {1, 1, 1, 1}});
  const auto order = torch::tensor({1, 2, 0}, torch::kLong);
  const auto attended = [](const at::Tensor& rows) {
    return worked::attend(rows, rows, rows, worked::inverse_root(4)).context;
  };
  const auto permuted = attended(x.index_select(0, order));
  return {
      .name = "permutation",
      .title = "Without positions, order is lost: SA(P X) = P SA(X)",
      .document = std::string(worked::guide) + ", The Position Problem; X of its example 1",
      .steps = {{.name = "SA(X)", .formula = "", .value = attended(x)},
                {.name = "SA(P X)", .formula = "rows of X in the order 2, 3, 1", .value = permuted},
                {.name = "difference",
                 .formula = "largest |SA(P X) - P SA(X)|",
                 .value = (permuted - attended(x).index_select(0, order)).abs().max()}},
      .remark =
          "Each row is the same at any position. The print equates the two sequences; "
          "they are equal as sets."};
}

}  // namespace

std::vector<WorkedExample> pattern_examples() {
  return {past_example(),  causal_example(),       permutation_example(),
          local_example(), global_local_example(), strided_example()};
}

}  // namespace dragoman
