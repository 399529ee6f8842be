#pragma once

#include "dragoman/report/attention_map.h"
#include "dragoman/run/loaded_run.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>
#include <vector>

namespace dragoman {

/// Accumulates the distances between the heads of one layer.
class HeadDistanceSum {
 public:
  /// \param weights [batch, num_heads, query_len, key_len]; for negative weights the magnitude
  ///     counts
  /// \param query_mask [batch, query_len] bool, true = a real token
  void add(const at::Tensor& weights, const at::Tensor& query_mask);

  /// The Jensen-Shannon divergence of the weights of each pair of heads, averaged over all queries,
  /// in bits: 0 = always identical, 1 = never on the same key.
  /// \throws ContractError if nothing was added.
  std::vector<std::vector<double>> means() const;

 private:
  at::Tensor sums_;  // [num_heads, num_heads] float64
  double queries_ = 0.0;
};

/// The distances between the remaining (unpruned) heads of one attention sub-layer.
struct LayerDistances {
  AttentionPart kind = AttentionPart::encoder;
  std::int64_t layer = 0;                     ///< from 0
  std::vector<std::int64_t> heads;            ///< their indices, from 0
  std::vector<std::vector<double>> distance;  ///< as in HeadDistanceSum, between all of `heads`

  /// Index in `heads` of the head nearest to the one at `index`. \pre there are at least two
  std::size_t nearest(std::size_t index) const;
};

/// The distances of all heads over a corpus under teacher forcing: heads with similar attention are
/// candidates for pruning.
std::vector<LayerDistances> head_distances(const LoadedRun& run, std::span<const LinePair> pairs);

}  // namespace dragoman
