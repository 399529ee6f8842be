#pragma once

#include "dragoman/report/attention_map.h"
#include "dragoman/translate/run.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>
#include <vector>

namespace dragoman {

/// Adds up how far the heads of one layer are from each other.
class HeadDistanceSum {
 public:
  /// \param weights [batch, num_heads, query_len, key_len]; of negative ones the size counts
  /// \param query_mask [batch, query_len] bool, true = a real token
  void add(const at::Tensor& weights, const at::Tensor& query_mask);

  /// For each two heads the Jensen-Shannon divergence of their weights, the mean over all queries, in
  /// bits: 0 = they always look alike, 1 = never at the same key.
  /// \throws ContractError if nothing was added.
  std::vector<std::vector<double>> means() const;

 private:
  at::Tensor sums_;  // [num_heads, num_heads] float64
  double queries_ = 0.0;
};

/// The distances of the heads of one attention sub-layer, those that pruning left.
struct LayerDistances {
  AttentionPart kind = AttentionPart::encoder;
  std::int64_t layer = 0;                     ///< from 0
  std::vector<std::int64_t> heads;            ///< their numbers, from 0
  std::vector<std::vector<double>> distance;  ///< as HeadDistanceSum has it, of all in `heads`

  /// Which of `heads` is nearest to the one at `index`, as an index too. \pre there are two
  std::size_t nearest(std::size_t index) const;
};

/// The distances of all heads over a corpus under teacher forcing: heads that look alike are
/// candidates for pruning.
std::vector<LayerDistances> head_distances(const LoadedRun& run, std::span<const LinePair> pairs);

}  // namespace dragoman
