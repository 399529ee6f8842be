#pragma once

#include "dragoman/data/batch.h"
#include "dragoman/model/transformer.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>

namespace dragoman {

/// Rows of attention weights dominated by a single key: their softmax passes hardly any gradient
/// on.
struct Saturation {
  std::int64_t rows = 0;       ///< rows of real queries that see at least two keys
  std::int64_t saturated = 0;  ///< rows whose largest weight is at least `threshold`

  double share() const;
};

/// \param weights [batch, num_heads, query_len, key_len]
/// \param counted bool [batch, query_len], true = a real query that sees at least two keys
Saturation saturation_of(const at::Tensor& weights, const at::Tensor& counted,
                         double threshold = 0.99);

/// Over all layers, heads and kinds of attention of a model, without dropout.
Saturation softmax_saturation(Transformer model, std::span<const Batch> batches);

}  // namespace dragoman
