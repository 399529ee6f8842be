#include "dragoman/analysis/weighing.h"

#include "dragoman/attention/linear.h"
#include "dragoman/core/concat.h"

#include <ATen/ATen.h>

#include <limits>

namespace dragoman {

namespace {

/// Names of a matrix's rows and columns.
struct AxisNames {
  std::vector<std::string> rows, columns;
};

Step step(const char* name, const std::string& formula, const at::Tensor& value,
          const AxisNames& names) {
  return {.name = name,
          .formula = formula,
          .value = value,
          .rows = names.rows,
          .columns = names.columns};
}

std::vector<std::string> mixture_names(std::int64_t rank) {
  std::vector<std::string> names;
  for (std::int64_t i = 1; i <= rank; ++i) names.push_back(concat("mixture ", i));
  return names;
}

/// Adds `scores` and the scaled scores.
at::Tensor add_scaled(std::vector<Step>& steps, const std::string& formula,
                      const at::Tensor& scores, const WeighedHead& head,
                      const std::vector<std::string>& columns) {
  const auto scaled = scores * head.scale;
  steps.push_back(step("scores", formula, scores, {head.rows, columns}));
  steps.push_back(step("scaled", head.scaling, scaled, {head.rows, columns}));
  return scaled;
}

void weigh_by_softmax(std::vector<Step>& steps, const WeighedHead& head) {
  const auto scaled =
      add_scaled(steps, "Q K^T", head.query.matmul(head.key.t()), head, head.columns);
  constexpr double never = -std::numeric_limits<double>::infinity();
  steps.push_back(step("weights",
                       head.hidden.any().item<bool>() ? "softmax(scaled) over visible keys"
                                                      : "softmax(scaled), row by row",
                       scaled.masked_fill(head.hidden, never).softmax(-1).nan_to_num(0.0),
                       {head.rows, head.columns}));
}

void weigh_by_features(std::vector<Step>& steps, const WeighedHead& head) {
  const auto queries = linear_features(head.query), keys = linear_features(head.key);
  const auto pairs = queries.matmul(keys.t());
  const auto seen = pairs.masked_fill(head.hidden, 0.0);
  steps.push_back(step("phi(Q)", "elu(Q) + 1", queries, {head.rows, {}}));
  steps.push_back(step("phi(K)", "elu(K) + 1", keys, {head.columns, {}}));
  steps.push_back(step("pairs", "phi(Q) phi(K)^T", pairs, {head.rows, head.columns}));
  steps.push_back(step("weights", "visible pairs / their sum",
                       (seen / seen.sum(-1, /*keepdim=*/true)).nan_to_num(0.0),
                       {head.rows, head.columns}));
}

void weigh_by_mixtures(std::vector<Step>& steps, const WeighedHead& head) {
  const auto names = mixture_names(head.key_mixtures.size(0));
  const auto mixed = head.key_mixtures.matmul(head.key);
  steps.push_back(step("E K", "mixtures of keys", mixed, {names, {}}));
  const auto scaled = add_scaled(steps, "Q (E K)^T", head.query.matmul(mixed.t()), head, names);
  const auto shares = scaled.softmax(-1);
  steps.push_back(step("shares", "softmax(scaled), of the mixtures", shares, {head.rows, names}));
  steps.push_back(
      step("F", "mixing coefficients of each value", head.value_mixtures, {names, head.columns}));
  steps.push_back(step("weights", "shares F; may be negative", shares.matmul(head.value_mixtures),
                       {head.rows, head.columns}));
}

}  // namespace

std::vector<Step> weighing_steps(AttentionKind kind, const WeighedHead& head) {
  std::vector<Step> steps;
  if (kind == AttentionKind::linear)
    weigh_by_features(steps, head);
  else if (kind == AttentionKind::low_rank)
    weigh_by_mixtures(steps, head);
  else
    weigh_by_softmax(steps, head);
  const auto weights = steps.back().value;
  steps.push_back(step("context", "weights V", weights.matmul(head.value), {head.rows, {}}));
  return steps;
}

}  // namespace dragoman
