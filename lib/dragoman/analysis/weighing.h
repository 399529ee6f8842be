#pragma once

#include "dragoman/analysis/step.h"
#include "dragoman/config/attention_options.h"

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

namespace dragoman {

/// What one head weighs, for one sentence; all tensors float64.
struct WeighedHead {
  at::Tensor query;   ///< [query_len, d_k]
  at::Tensor key;     ///< [key_len, d_k]
  at::Tensor value;   ///< [key_len, d_v]
  at::Tensor hidden;  ///< [query_len, key_len] bool, true = must not be seen
  at::Tensor key_mixtures, value_mixtures;  ///< E and F [rank, key_len]; low_rank only
  double scale = 1.0;                       ///< of scores; `linear` has none
  std::string scaling;                      ///< how that is written: "scores / sqrt(8)"
  std::vector<std::string> rows, columns;   ///< names of queries and of keys
};

/// The steps of a head from queries, keys and values to its context, the last one. The step before is
/// "weights" [query_len, key_len], what each query takes of each value: of a softmax over what it may
/// see, of features (`linear`), or of mixtures of all positions (`low_rank`).
std::vector<Step> weighing_steps(AttentionKind kind, const WeighedHead& head);

}  // namespace dragoman
