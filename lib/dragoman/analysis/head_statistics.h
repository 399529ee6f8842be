#pragma once

#include "dragoman/report/attention_map.h"
#include "dragoman/run/loaded_run.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>
#include <vector>

namespace dragoman {

/// The magnitudes of each query's weights as shares of their sum: softmax weights are unchanged;
/// the weights of low-rank attention may be negative and have any sum.
/// \param weights [..., key_len]
at::Tensor weight_shares(const at::Tensor& weights);

/// How one head distributes its weight: means of `weight_shares` over all real queries of a corpus.
struct HeadStatistics {
  double entropy = 0.0;  ///< nats
  /// Entropy divided by that of uniform weights on all keys that padding and order leave visible;
  /// those outside a window or another pattern count, too.
  double relative_entropy = 0.0;
  double max_weight = 0.0;     ///< the largest weight of a query
  double mean_distance = 0.0;  ///< expected |i - j|, tokens
  double mass_previous = 0.0;  ///< weight on the previous position; 0 if there is none
  double mass_self = 0.0;
  double mass_next = 0.0;
  double mass_first = 0.0;  ///< on the first key: BOS in the decoder
  double mass_last = 0.0;   ///< on the last key of the sentence: EOS, if queries may see it
  /// Correlation of the weight between two different tokens with the cosine of their embeddings;
  /// 0 for encoder-decoder attention.
  double semantic = 0.0;
};

/// Accumulates the statistics of the heads of one layer.
class HeadStatisticsSum {
 public:
  /// \param weights [batch, num_heads, query_len, key_len]
  /// \param query_mask [batch, query_len] bool, true = a real token
  /// \param visible bool, true = may be attended to; broadcasts to [batch, 1, query_len, key_len]
  /// \param cosine of the embeddings of query and key, [batch, query_len, key_len];
  ///     undefined = none
  void add(const at::Tensor& weights, const at::Tensor& query_mask, const at::Tensor& visible,
           const at::Tensor& cosine = {});

  /// One per head. \throws ContractError if nothing was added.
  std::vector<HeadStatistics> means() const;

 private:
  void add_correlation(const at::Tensor& weights, const at::Tensor& counted,
                       const at::Tensor& cosine);

  at::Tensor sums_;          // [num_heads, quantities] float64
  at::Tensor correlations_;  // [num_heads, 6] float64: n, w, c, w^2, c^2, wc
  double queries_ = 0.0;
  double uniform_entropy_ = 0.0;
};

/// The remaining (unpruned) heads of one attention sub-layer.
struct LayerStatistics {
  AttentionPart kind = AttentionPart::encoder;
  std::int64_t layer = 0;             ///< from 0
  std::vector<std::int64_t> numbers;  ///< of the heads, from 0
  std::vector<HeadStatistics> heads;
};

/// The statistics of all heads over a corpus under teacher forcing; padding does not count.
/// Sub-layers without a head are left out.
std::vector<LayerStatistics> head_statistics(const LoadedRun& run, std::span<const LinePair> pairs);

}  // namespace dragoman
