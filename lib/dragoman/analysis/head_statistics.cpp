#include "dragoman/analysis/head_statistics.h"

#include "dragoman/analysis/corpus_pass.h"
#include "dragoman/analysis/model_parts.h"
#include "dragoman/tensor/mask.h"

#include <ATen/ATen.h>

#include <array>
#include <cmath>
#include <utility>

namespace dragoman {

namespace {

/// The weight of each query at `offset` positions after it, 0 if that is outside.
/// \param weights [batch, num_heads, query_len, key_len]
/// \return [batch, num_heads, query_len]
at::Tensor mass_at(const at::Tensor& weights, std::int64_t offset) {
  const auto queries = weights.size(2), keys = weights.size(3);
  const auto key = at::arange(queries, at::kLong) + offset;
  const auto inside = (key >= 0) & (key < keys);
  const auto index = key.clamp(0, keys - 1)
                         .view({1, 1, queries, 1})
                         .expand({weights.size(0), weights.size(1), -1, -1});
  return weights.gather(-1, index).squeeze(-1) * inside;
}

/// |i - j|, [query_len, key_len] float64
at::Tensor distances(std::int64_t queries, std::int64_t keys) {
  const auto doubles = at::TensorOptions(at::kDouble);
  return (at::arange(queries, doubles).unsqueeze(1) - at::arange(keys, doubles)).abs();
}

/// The weight on the last key that any query of the sentence sees, [batch, num_heads, query_len].
at::Tensor mass_on_last(const at::Tensor& weights, const at::Tensor& visible) {
  const auto last = visible.any(-2).sum(-1).sub(1).clamp_min(0);  // [batch, 1]
  const auto index =
      last.view({-1, 1, 1, 1}).expand({weights.size(0), weights.size(1), weights.size(2), 1});
  return weights.gather(-1, index).squeeze(-1);
}

/// All quantities of each query, in the order of HeadStatistics without the ratios.
/// \return [batch, num_heads, query_len, 8]
at::Tensor quantities(const at::Tensor& weights, const at::Tensor& visible) {
  const auto entropy = -(weights * weights.clamp_min(1e-300).log()).sum(-1);
  return at::stack(
      {entropy, weights.amax(-1), (weights * distances(weights.size(2), weights.size(3))).sum(-1),
       mass_at(weights, -1), mass_at(weights, 0), mass_at(weights, 1), weights.select(-1, 0),
       mass_on_last(weights, visible)},
      -1);
}

at::Tensor add_to(const at::Tensor& sum, const at::Tensor& x) {
  return sum.defined() ? sum + x : x;
}

double correlation(const at::Tensor& sums) {
  const auto* s = sums.const_data_ptr<double>();
  const double n = s[0], spread = (n * s[3] - s[1] * s[1]) * (n * s[4] - s[2] * s[2]);
  return spread > 0.0 ? (n * s[5] - s[1] * s[2]) / std::sqrt(spread) : 0.0;
}

}  // namespace

at::Tensor weight_shares(const at::Tensor& weights) {
  const auto sizes = weights.abs(), total = sizes.sum(-1, /*keepdim=*/true);
  return sizes / total.masked_fill(total == 0, 1.0);
}

void HeadStatisticsSum::add(const at::Tensor& weights, const at::Tensor& query_mask,
                            const at::Tensor& visible, const at::Tensor& cosine) {
  const auto w = weight_shares(weights.detach().to(at::kCPU, at::kDouble));
  const auto seen = visible.expand({w.size(0), 1, w.size(2), w.size(3)});
  const auto real = query_mask.unsqueeze(1).unsqueeze(-1);  // [batch, 1, query_len, 1]
  sums_ = add_to(sums_, (quantities(w, seen) * real).sum(at::IntArrayRef{0, 2}));
  queries_ += query_mask.sum().item<double>();
  uniform_entropy_ += (seen.sum(-1).squeeze(1).clamp_min(1).to(at::kDouble).log() * query_mask)
                          .sum()
                          .item<double>();
  if (cosine.defined()) {
    const auto others = distances(w.size(2), w.size(3)) > 0;
    add_correlation(w, seen & real & others, cosine);
  }
}

void HeadStatisticsSum::add_correlation(const at::Tensor& weights, const at::Tensor& counted,
                                        const at::Tensor& cosine) {
  const auto n = counted.to(at::kDouble).expand_as(weights);
  const auto c = cosine.to(at::kDouble).unsqueeze(1) * n;
  const auto w = weights * n;
  const auto sum = [](const at::Tensor& x) { return x.sum(at::IntArrayRef{0, 2, 3}); };
  correlations_ = add_to(
      correlations_, at::stack({sum(n), sum(w), sum(c), sum(w * w), sum(c * c), sum(w * c)}, -1));
}

std::vector<HeadStatistics> HeadStatisticsSum::means() const {
  if (!sums_.defined()) throw ContractError("head statistics: nothing was added");
  const auto mean = (sums_ / queries_).contiguous();
  std::vector<HeadStatistics> heads;
  for (std::int64_t h = 0; h < mean.size(0); ++h) {
    const auto* m = mean[h].const_data_ptr<double>();
    heads.push_back(
        {.entropy = m[0],
         .relative_entropy = uniform_entropy_ > 0.0 ? m[0] * queries_ / uniform_entropy_ : 0.0,
         .max_weight = m[1],
         .mean_distance = m[2],
         .mass_previous = m[3],
         .mass_self = m[4],
         .mass_next = m[5],
         .mass_first = m[6],
         .mass_last = m[7],
         .semantic = correlations_.defined() ? correlation(correlations_[h]) : 0.0});
  }
  return heads;
}

namespace {

constexpr std::array all_kinds = {AttentionPart::encoder, AttentionPart::decoder,
                                  AttentionPart::cross};

/// The cosine of the embeddings of each pair of tokens, [batch, len, len]; undefined across
/// languages.
at::Tensor embedding_cosine(TransformerImpl& model, const Batch& batch, AttentionPart kind) {
  if (kind == AttentionPart::cross) return {};
  const bool source = kind == AttentionPart::encoder;
  auto& embedding = source ? source_embedding(model) : target_embedding(model);
  const auto& ids = source ? batch.source : batch.target_input;
  const auto vectors = at::embedding(embedding.weight(), ids.to(embedding.weight().device()));
  const auto unit = vectors / vectors.norm(2, -1, /*keepdim=*/true).clamp_min(1e-12);
  return unit.matmul(unit.transpose(1, 2)).cpu();
}

at::Tensor visible_keys(const Batch& batch, AttentionPart kind) {
  const auto keys = key_mask(batch, kind).unsqueeze(1).unsqueeze(1);
  return kind == AttentionPart::decoder ? keys & causal_mask(batch.target_input.size(1)) : keys;
}

}  // namespace

std::vector<LayerStatistics> head_statistics(const LoadedRun& run,
                                             std::span<const LinePair> pairs) {
  const auto& options = run.options.model;
  auto model = run.model;
  std::vector<LayerStatistics> statistics;
  for (const auto kind : all_kinds)
    for (std::int64_t layer = 0; layer < attention_layers(options, kind); ++layer)
      if (auto heads = remaining_heads(options, {kind, layer}); !heads.empty())
        statistics.push_back({kind, layer, std::move(heads), {}});
  std::vector<HeadStatisticsSum> sums(statistics.size());
  record_corpus(run, pairs, [&](const RecordedBatch& batch) {
    for (const auto kind : all_kinds) {
      const auto cosine = embedding_cosine(*model, batch.data, kind);
      const auto visible = visible_keys(batch.data, kind);
      for (std::size_t i = 0; i < sums.size(); ++i)
        if (const auto& sublayer = statistics[i]; sublayer.kind == kind)
          sums[i].add(weights_of(batch.record, {kind, sublayer.layer}, sublayer.numbers),
                      query_mask(batch.data, kind), visible, cosine);
    }
  });
  for (std::size_t i = 0; i < sums.size(); ++i) statistics[i].heads = sums[i].means();
  return statistics;
}

}  // namespace dragoman
