#include "dragoman/analysis/head_similarity.h"

#include "dragoman/analysis/corpus_pass.h"
#include "dragoman/analysis/head_statistics.h"
#include "dragoman/analysis/model_parts.h"
#include "dragoman/core/error.h"

#include <ATen/ATen.h>

namespace dragoman {

namespace {

/// Entropy over the last axis, bits.
at::Tensor entropy_in_bits(const at::Tensor& shares) {
  return -(shares * shares.clamp_min(1e-300).log2()).sum(-1);
}

}  // namespace

void HeadDistanceSum::add(const at::Tensor& weights, const at::Tensor& query_mask) {
  const auto p = weight_shares(weights.detach().to(at::kCPU, at::kDouble));
  const auto own = entropy_in_bits(p);  // [batch, num_heads, query_len]
  const auto real = query_mask.to(at::kCPU).unsqueeze(1);
  const auto count = p.size(1);
  if (!sums_.defined()) sums_ = at::zeros({count, count}, p.options());
  for (std::int64_t head = 0; head < count; ++head) {
    const auto middle = entropy_in_bits((p + p.narrow(1, head, 1)) / 2);
    const auto distance = middle - (own + own.narrow(1, head, 1)) / 2;
    sums_.select(0, head).add_((distance * real).sum(at::IntArrayRef{0, 2}));
  }
  queries_ += query_mask.sum().item<double>();
}

std::vector<std::vector<double>> HeadDistanceSum::means() const {
  if (!sums_.defined()) throw ContractError("head distances: nothing was added");
  const auto mean = (sums_ / queries_).clamp(0.0, 1.0);
  const auto cell = mean.accessor<double, 2>();
  std::vector<std::vector<double>> rows(static_cast<std::size_t>(mean.size(0)));
  for (std::int64_t i = 0; i < mean.size(0); ++i)
    for (std::int64_t j = 0; j < mean.size(1); ++j)
      rows[static_cast<std::size_t>(i)].push_back(cell[i][j]);
  return rows;
}

std::size_t LayerDistances::nearest(std::size_t index) const {
  std::size_t best = index == 0 ? 1 : 0;
  for (std::size_t other = 0; other < distance.at(index).size(); ++other)
    if (other != index && distance[index][other] < distance[index][best]) best = other;
  return best;
}

std::vector<LayerDistances> head_distances(const LoadedRun& run, std::span<const LinePair> pairs) {
  const auto& options = run.options.model;
  const auto sublayers = attention_sublayers(options);
  std::vector<HeadDistanceSum> sums(sublayers.size());
  record_corpus(run, pairs, [&](const RecordedBatch& batch) {
    for (std::size_t i = 0; i < sublayers.size(); ++i) {
      if (const auto heads = remaining_heads(options, sublayers[i]); !heads.empty())
        sums[i].add(weights_of(batch.record, sublayers[i], heads),
                    query_mask(batch.data, sublayers[i].kind));
    }
  });
  std::vector<LayerDistances> layers;
  for (std::size_t i = 0; i < sublayers.size(); ++i)
    if (const auto heads = remaining_heads(options, sublayers[i]); !heads.empty())
      layers.push_back({sublayers[i].kind, sublayers[i].layer, heads, sums[i].means()});
  return layers;
}

}  // namespace dragoman
