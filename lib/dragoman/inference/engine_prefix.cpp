#include "dragoman/core/stop.h"
#include "dragoman/inference/engine_scorer.h"
#include "dragoman/kernels/fused_attention.h"
#include "dragoman/search/logits_reader.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

namespace dragoman {

std::vector<std::vector<PrefixToken>> EngineScorer::advance_prefix(ForcedPrefixes prefixes,
                                                                   std::int64_t length,
                                                                   const TokenRules& rules) {
  const auto d_model = weights_.options.d_model, sentences = std::ssize(sentences_);
  const auto rows = sentences * length;
  float* x = hidden_.of_size(rows * d_model);
  float* row = x;
  for (const auto& prefix : prefixes)
    for (std::int64_t t = 0; t < length; ++t, row += d_model)
      workspace_.embed_target(t == 0 ? rules.special.bos : prefix[static_cast<std::size_t>(t - 1)],
                              t, row);
  make_room_in_caches(length);
  rows_ = rows;
  workspace_.decode(
      x, rows,
      [&](std::size_t layer, const LayerRows& input, const ProductResult& result) {
        read_prefix(layer, input, length, result);
      },
      [&](std::size_t layer, const float* input, const ProductResult& result) {
        attend_memory(layer, input, result);
      });
  length_ = length;
  for (std::int64_t t = 0; t < length; ++t)
    for (std::int64_t r = 0; r < sentences; ++r) origin_.push_back(r);
  if (track_coverage_) sum_coverage_of_prefixes(length);
  auto tokens = tokens_of_prefixes(prefixes, length, rules);
  rows_ = sentences;
  return tokens;
}

void EngineScorer::read_prefix(std::size_t layer, const LayerRows& x, std::int64_t length,
                               const ProductResult& result) {
  std::vector<RowRange> prefixes;
  for (std::int64_t first = 0; first < rows_; first += length) prefixes.push_back({first, length});
  if (weights_.options.has_self_attention(StackSide::decoder))
    attend_prefixes(layer, x, prefixes, result);
  else
    recur_over_prefixes(layer, x, prefixes, result);
}

/// A recurrence over whole prefixes, whose last states go into the cache of the last step.
void EngineScorer::recur_over_prefixes(std::size_t layer, const LayerRows& x,
                                       std::span<const RowRange> prefixes,
                                       const ProductResult& result) {
  const auto& weights = weights_.decoder[layer];
  const auto d_model = weights_.options.d_model;
  float* states = workspace_.key.of_size(rows_ * d_model);
  recur(weights.recurrence, x, weights.past_norm,
        RecurrenceRows::of_sentences(prefixes, d_model, states), workspace_, result);
  auto& last_step =
      caches_.layers[layer].past_keys[static_cast<std::size_t>(prefixes[0].count - 1)];
  float* last = last_step.of_size(std::ssize(prefixes) * d_model);
  for (const auto& [first, count] : prefixes)
    last = std::copy_n(states + (first + count - 1) * d_model, d_model, last);
}

/// Self-attention of whole prefixes, whose keys and values go into the caches, step by step.
void EngineScorer::attend_prefixes(std::size_t layer, const LayerRows& x,
                                   std::span<const RowRange> prefixes,
                                   const ProductResult& result) {
  const auto& attention = weights_.decoder[layer].self_attention;
  // Where others in the batch have shorter prefixes, the rest is read step by step.
  workspace_.self_attend(attention, prefixes, x, /*causal=*/true, result, few_queries);
  if (attention.num_heads == 0) return;
  auto& cache = caches_.layers[layer];
  const auto keep = [&](const Buffer& rows, std::int64_t width, std::vector<Buffer>& steps) {
    for (std::int64_t t = 0; t < prefixes[0].count; ++t) {
      float* row = steps[static_cast<std::size_t>(t)].of_size(std::ssize(prefixes) * width);
      for (const auto& prefix : prefixes)
        row = std::copy_n(rows.data() + (prefix.first + t) * width, width, row);
    }
  };
  keep(workspace_.key, attention.keys_width(), cache.past_keys);
  keep(workspace_.value, attention.values_width(), cache.past_values);
}

/// Replaces the attention of each token by the sum over each prefix.
void EngineScorer::sum_coverage_of_prefixes(std::int64_t length) {
  const auto tokens = static_cast<std::size_t>(length);
  std::vector<std::vector<float>> sums;
  for (std::size_t row = 0; row < coverage_.size(); ++row) {
    if (row % tokens == 0)
      sums.push_back(std::move(coverage_[row]));
    else
      std::ranges::transform(sums.back(), coverage_[row], sums.back().begin(), std::plus<>());
  }
  coverage_ = std::move(sums);
}

std::vector<std::vector<PrefixToken>> EngineScorer::tokens_of_prefixes(ForcedPrefixes prefixes,
                                                                       std::int64_t length,
                                                                       const TokenRules& rules) {
  std::vector<std::vector<PrefixToken>> tokens(prefixes.size());
  std::optional<LogitsReader> reader;  // of a block of rows
  std::int64_t row = 0;
  for (std::size_t i = 0; i < prefixes.size(); ++i)
    for (std::int64_t t = 0; t < length; ++t, ++row) {
      const auto in_block = row % rows_at_once();
      if (in_block == 0) {
        expect_no_stop(workspace_.stop);
        reader.emplace(logits(row, std::min(rows_at_once(), rows_ - row)), rules);
      }
      tokens[i].push_back(reader->prefix_token(in_block, prefixes[i][static_cast<std::size_t>(t)]));
    }
  return tokens;
}

}  // namespace dragoman
