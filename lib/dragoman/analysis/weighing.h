#pragma once

#include "dragoman/analysis/step.h"
#include "dragoman/config/attention_options.h"

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

namespace dragoman {

/// The inputs of one head for one sentence; all tensors float64.
struct WeighedHead {
  at::Tensor query;                         ///< [query_len, d_k]
  at::Tensor key;                           ///< [key_len, d_k]
  at::Tensor value;                         ///< [key_len, d_v]
  at::Tensor hidden;                        ///< [query_len, key_len] bool, true = masked
  at::Tensor key_mixtures, value_mixtures;  ///< E and F [rank, key_len]; low_rank only
  double scale = 1.0;                       ///< scale of the scores; unused by `linear`
  std::string scaling;                      ///< its formula: "scores / sqrt(8)"
  std::vector<std::string> rows, columns;   ///< names of queries and keys
};

/// The steps of a head from queries, keys and values to its context, which is the last. The step
/// before is "weights" [query_len, key_len], the weight of each value for each query: from a
/// softmax over visible keys, from features (`linear`), or from mixtures of all positions
/// (`low_rank`).
std::vector<Step> weighing_steps(AttentionKind kind, const WeighedHead& head);

}  // namespace dragoman
