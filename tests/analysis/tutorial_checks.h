#pragma once

#include "dragoman/analysis/worked_support.h"
#include "dragoman/attention/tiled.h"

#include "support/tutorial_case.h"

#include <map>
#include <string>
#include <vector>

namespace test {

/// Compares all of a tutorial's case with what the library computes from the case's own inputs.
using TutorialCheck = void (*)(TutorialCase&);

/// By id. A key that ends with "_" is for all ids that begin with it and have none of their own.
using TutorialChecks = std::map<std::string, TutorialCheck>;

// By topic, as the worked examples are.
TutorialChecks attention_checks();
TutorialChecks softmax_checks();
TutorialChecks pattern_checks();
TutorialChecks position_checks();
TutorialChecks layer_checks();
TutorialChecks cost_checks();
TutorialChecks training_checks();

/// The tiled attention's logsumexp of each query. \param query [queries, d_k] \param key [keys,
/// d_k]
/// \return [queries]
inline at::Tensor logsumexp_of(const at::Tensor& query, const at::Tensor& key, double scale = 1.0) {
  const auto one_head = [](const at::Tensor& x) { return x.unsqueeze(0).unsqueeze(0); };
  return dragoman::tiled_attention(one_head(query), {one_head(key), one_head(key)}, {},
                                   {.scale = scale}, 16)
      .logsumexp[0][0];
}

/// The scores that attention computes: the logsumexp of a query that sees a single key.
/// \return [queries, keys]
inline at::Tensor scores_of(const at::Tensor& query, const at::Tensor& key, double scale = 1.0) {
  std::vector<at::Tensor> columns;
  for (std::int64_t j = 0; j < key.size(0); ++j)
    columns.push_back(logsumexp_of(query, key.narrow(0, j, 1), scale));
  return at::stack(columns, -1);
}

/// Attention with these scores: queries of unit keys. \param scores [queries, keys]
inline dragoman::AttentionResult attend_by(const at::Tensor& scores, const at::Tensor& value) {
  return dragoman::worked::attend(scores, at::eye(scores.size(1), scores.options()), value, 1.0);
}

/// The weights of one query with these scores. \param scores [keys]
inline at::Tensor softmax_of(const at::Tensor& scores) {
  const auto unit = at::eye(scores.size(0), scores.options());
  return attend_by(scores.unsqueeze(0), unit).weights[0];
}

/// The sum of exponentials that attention divides by. \param scores [keys]
inline at::Tensor exponentials_sum(const at::Tensor& scores) {
  return logsumexp_of(scores.unsqueeze(0), at::eye(scores.size(0), scores.options())).exp()[0];
}

/// Scores whose exponentials are these weights.
inline at::Tensor scores_for(const at::Tensor& weights) {
  return weights.log().masked_fill(weights == 0, -1e9);
}

}  // namespace test
