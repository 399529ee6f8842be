#include "dragoman/inference/engine_scorer.h"

#include "dragoman/core/stop.h"
#include "dragoman/kernels/beam_attention.h"
#include "dragoman/kernels/cached_attention.h"
#include "dragoman/search/coverage.h"
#include "dragoman/search/logits_reader.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

namespace dragoman {

EngineScorer::EngineScorer(const EncodedSentences& encoded, EngineWorkspace& workspace,
                           DecoderCaches& caches, const ShortGenerator* short_generator,
                           bool track_coverage)
    : weights_(workspace.weights()),
      workspace_(workspace),
      caches_(caches),
      logits_(workspace, short_generator),
      numbers_(encoded.sentences.size()),
      sentences_(encoded.sentences),
      layers_(weights_.decoder.size()),
      track_coverage_(track_coverage) {
  std::iota(numbers_.begin(), numbers_.end(), 0);
  caches_.layers.resize(weights_.decoder.size());
  for (std::size_t i = 0; i < weights_.decoder.size(); ++i) project_memory(encoded, i);
}

/// Keys and values of the encoder's output for one layer; the keys transposed.
void EngineScorer::project_memory(const EncodedSentences& encoded, std::size_t layer) {
  const auto& attention = weights_.decoder[layer].memory_attention;
  auto& of_layer = layers_[layer];
  for (const auto& sentence : sentences_) of_layer.push_back({.tokens = sentence.count});
  if (attention.num_heads == 0) return;
  expect_no_stop(workspace_.stop);
  auto& cache = caches_.layers[layer];
  const auto size_of = [&](const RowRange& sentence) {
    return transposed_size(sentence.count, attention.num_heads, attention.d_k);
  };
  std::int64_t size = 0;
  for (const auto& sentence : sentences_) size += size_of(sentence);
  float* keys = workspace_.key.of_size(encoded.rows * attention.keys_width());
  float* transposed = cache.memory_keys.of_size(size);
  float* values = cache.memory_values.of_size(encoded.rows * attention.values_width());
  workspace_.project_memory(attention, encoded.memory.data(), encoded.rows, keys, values);
  for (std::size_t i = 0; i < sentences_.size(); ++i) {
    const auto& sentence = sentences_[i];
    transpose_keys(keys + sentence.first * attention.keys_width(), sentence.count,
                   attention.num_heads, attention.d_k, transposed);
    of_layer[i].keys = transposed;
    of_layer[i].values = values + sentence.first * attention.values_width();
    transposed += size_of(sentence);
  }
}

void EngineScorer::advance(std::span<const std::int64_t> tokens) {
  embed(tokens);
  workspace_.decode(
      hidden_.data(), rows_,
      [&](std::size_t layer, const LayerRows& input, const ProductResult& result) {
        read_past(layer, input, result);
      },
      [&](std::size_t layer, const float* input, const ProductResult& result) {
        attend_memory(layer, input, result);
      });
}

/// Embeds the tokens and makes room for them in the caches.
void EngineScorer::embed(std::span<const std::int64_t> tokens) {
  const auto d_model = weights_.options.d_model;
  rows_ = std::ssize(tokens);
  float* row = hidden_.of_size(rows_ * d_model);
  for (const auto token : tokens) {
    workspace_.embed_target(token, length_, row);
    row += d_model;
  }
  make_room_in_caches(++length_);
  for (std::int64_t r = 0; r < rows_; ++r) origin_.push_back(r);
}

void EngineScorer::make_room_in_caches(std::int64_t length) {
  const auto steps = static_cast<std::size_t>(length);
  for (auto& layer : caches_.layers)
    for (auto* cache : {&layer.past_keys, &layer.past_values})
      cache->resize(std::max(cache->size(), steps));
}

void EngineScorer::read_past(std::size_t layer, const LayerRows& x, const ProductResult& result) {
  const auto& weights = weights_.decoder[layer];
  if (weights_.options.has_self_attention(StackSide::decoder)) return attend_past(layer, x, result);
  recur(weights.recurrence, x, weights.past_norm, states_of_step(layer), workspace_, result);
}

/// The states after each step are stored in place of keys.
RecurrenceRows EngineScorer::states_of_step(std::size_t layer) {
  const auto d_model = weights_.options.d_model;
  auto& cache = caches_.layers[layer].past_keys;
  const auto newest = static_cast<std::size_t>(length_ - 1);
  RecurrenceRows states{.after = cache[newest].of_size(rows_ * d_model)};
  for (std::int64_t r = 0; r < rows_; ++r) {
    const auto* before =
        length_ == 1 ? nullptr : &origin_[static_cast<std::size_t>((length_ - 2) * rows_ + r)];
    states.previous.push_back(before == nullptr ? nullptr
                                                : cache[newest - 1].data() + *before * d_model);
    states.positions.push_back(length_ - 1);
  }
  return states;
}

void EngineScorer::attend_past(std::size_t layer, const LayerRows& x, const ProductResult& result) {
  const auto& attention = weights_.decoder[layer].self_attention;
  if (attention.num_heads == 0) return workspace_.add_output_bias(attention, rows_, result);
  auto& cache = caches_.layers[layer];
  const auto newest = static_cast<std::size_t>(length_ - 1);
  const auto heads = workspace_.project(
      attention, x, cache.past_keys[newest].of_size(rows_ * attention.keys_width()),
      cache.past_values[newest].of_size(rows_ * attention.values_width()));
  CachedAttention input{.rows = rows_,
                        .num_heads = attention.num_heads,
                        .d_k = attention.d_k,
                        .d_v = attention.d_v,
                        .scale = attention.scale,
                        .query = heads.query,
                        .origin = origin_.data()};
  input.keys.reserve(newest + 1);
  input.values.reserve(newest + 1);
  for (std::size_t t = 0; t <= newest; ++t) {
    input.keys.push_back(cache.past_keys[t].data());
    input.values.push_back(cache.past_values[t].data());
  }
  cached_attention(input, heads.context);
  workspace_.multiply(attention.output, heads.context, rows_, result);
}

void EngineScorer::attend_memory(std::size_t layer, const float* x, const ProductResult& result) {
  const auto& attention = weights_.decoder[layer].memory_attention;
  const auto beam = rows_ / std::ssize(sentences_);
  const bool wanted = track_coverage_ && layer + 1 == weights_.decoder.size();
  if (wanted) make_room_for_weights(beam);
  if (attention.num_heads == 0) {
    workspace_.add_output_bias(attention, rows_, result);
    if (wanted) add_to_coverage(beam);
    return;
  }
  const auto heads = workspace_.project_query(attention, x, rows_);
  const BeamAttention input{.num_heads = attention.num_heads,
                            .d_k = attention.d_k,
                            .d_v = attention.d_v,
                            .beam = beam,
                            .scale = attention.scale,
                            .query = heads.query};
  beam_attention(input, layers_[layer], heads.context);
  if (wanted) add_to_coverage(beam);
  workspace_.multiply(attention.output, heads.context, rows_, result);
}

/// The attention of this step, for all rows of each sentence.
void EngineScorer::make_room_for_weights(std::int64_t beam) {
  std::size_t size = 0;
  for (const auto& memory : layers_.back()) size += static_cast<std::size_t>(beam * memory.tokens);
  step_weights_.assign(size, 0.0F);
  float* place = step_weights_.data();
  for (auto& memory : layers_.back()) {
    memory.mean_weights = place;
    place += beam * memory.tokens;
  }
}

void EngineScorer::add_to_coverage(std::int64_t beam) {
  const bool first = coverage_.empty();
  for (std::size_t i = 0; i < sentences_.size(); ++i) {
    const auto& memory = layers_.back()[i];
    for (std::int64_t b = 0; b < beam; ++b) {
      const std::span row(memory.mean_weights + b * memory.tokens,
                          static_cast<std::size_t>(memory.tokens));
      if (first) {
        coverage_.emplace_back(row.begin(), row.end());
        continue;
      }
      auto& sums = coverage_[i * static_cast<std::size_t>(beam) + static_cast<std::size_t>(b)];
      std::ranges::transform(sums, row, sums.begin(), std::plus<>());
    }
  }
}

Logits EngineScorer::logits(std::int64_t first, std::int64_t count) {
  const auto rows_of_sentence = rows_ / std::ssize(sentences_);
  row_numbers_.clear();
  for (auto row = first; row < first + count; ++row)
    row_numbers_.push_back(numbers_[static_cast<std::size_t>(row / rows_of_sentence)]);
  return logits_.compute(hidden_.data() + first * weights_.options.d_model, row_numbers_);
}

std::vector<double> EngineScorer::coverage() {
  std::vector<double> result;
  for (const auto& sums : coverage_) result.push_back(log_coverage(std::span<const float>(sums)));
  return result;
}

void EngineScorer::select_rows(std::span<const std::int64_t> rows) {
  if (length_ == 0) return;
  std::vector<std::int64_t> kept;
  kept.reserve(static_cast<std::size_t>(length_) * rows.size());
  for (std::int64_t t = 0; t < length_; ++t)
    for (const auto row : rows) kept.push_back(origin_[static_cast<std::size_t>(t * rows_ + row)]);
  origin_ = std::move(kept);
  rows_ = std::ssize(rows);
  if (!track_coverage_) return;
  std::vector<std::vector<float>> coverage;
  for (const auto row : rows) coverage.push_back(coverage_[static_cast<std::size_t>(row)]);
  coverage_ = std::move(coverage);
}

void EngineScorer::select_sentences(std::span<const std::int64_t> sentences) {
  const auto keep = [&](auto& of_sentences) {
    auto kept = of_sentences;
    kept.clear();
    for (const auto sentence : sentences)
      kept.push_back(of_sentences[static_cast<std::size_t>(sentence)]);
    of_sentences = std::move(kept);
  };
  keep(sentences_);
  keep(numbers_);
  for (auto& layer : layers_) keep(layer);
}

}  // namespace dragoman
