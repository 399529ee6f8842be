#include "dragoman/inference/engine_scorer.h"

#include "dragoman/kernels/cached_attention.h"
#include "dragoman/search/coverage.h"

#include <utility>

namespace dragoman {

EngineScorer::EngineScorer(const EncodedSentences& encoded, EngineWorkspace& workspace,
                           DecoderCaches& caches, bool track_coverage)
    : weights_(workspace.weights()),
      workspace_(workspace),
      caches_(caches),
      sentences_(encoded.sentences),
      track_coverage_(track_coverage) {
  caches_.memory.resize(weights_.decoder.size());
  caches_.past.resize(weights_.decoder.size());
  for (std::size_t i = 0; i < weights_.decoder.size(); ++i) {
    const auto& attention = weights_.decoder[i].memory_attention;
    if (attention.num_heads == 0) continue;
    workspace_.multiply(
        attention.key_value, encoded.memory.data(), encoded.rows,
        {.c = caches_.memory[i].of_size(encoded.rows * attention.key_value_width())});
  }
}

void EngineScorer::advance(std::span<const std::int64_t> tokens) {
  embed(tokens);
  if (track_coverage_) begin_coverage();
  float* x = hidden_.data();
  for (std::size_t i = 0; i < weights_.decoder.size(); ++i) {
    const auto& layer = weights_.decoder[i];
    workspace_.add_norm(
        layer.self_attention_norm, x, rows_,
        [&](const float* input, const auto& result) { attend_past(i, input, result); });
    workspace_.add_norm(
        layer.memory_attention_norm, x, rows_,
        [&](const float* input, const auto& result) { attend_memory(i, input, result); });
    workspace_.feed_forward(layer.feed_forward, layer.feed_forward_norm, x, rows_);
  }
  final_norm(weights_.decoder_norm, x, rows_);
}

/// Embeds the tokens and makes room for them in the caches.
void EngineScorer::embed(std::span<const std::int64_t> tokens) {
  const auto d_model = weights_.options.d_model;
  rows_ = std::ssize(tokens);
  float* row = hidden_.of_size(rows_ * d_model);
  for (const auto token : tokens) {
    workspace_.embed(*weights_.target_embedding, token, length_, row);
    row += d_model;
  }
  ++length_;
  for (auto& steps : caches_.past)
    if (std::ssize(steps) < length_) steps.emplace_back();
  for (std::int64_t r = 0; r < rows_; ++r) origin_.push_back(r);
}

void EngineScorer::attend_past(std::size_t layer, const float* x, const ProductResult& result) {
  const auto& attention = weights_.decoder[layer].self_attention;
  if (attention.num_heads == 0) return workspace_.add_output_bias(attention, rows_, result);
  const auto heads = workspace_.project_query(attention, x, rows_);
  auto& steps = caches_.past[layer];
  const auto newest = static_cast<std::size_t>(length_ - 1);
  workspace_.multiply_packed(attention.key_value,
                             {.c = steps[newest].of_size(rows_ * attention.key_value_width())});
  CachedAttention input{.rows = rows_,
                        .num_heads = attention.num_heads,
                        .d_k = attention.d_k,
                        .d_v = attention.d_v,
                        .scale = attention.scale,
                        .query = heads.query,
                        .stride = attention.key_value_width(),
                        .origin = origin_.data()};
  for (std::size_t t = 0; t <= newest; ++t) {
    input.keys.push_back(steps[t].data());
    input.values.push_back(steps[t].data() + attention.keys_width());
  }
  cached_attention(input, heads.context);
  workspace_.multiply(attention.output, heads.context, rows_, result);
}

void EngineScorer::attend_memory(std::size_t layer, const float* x, const ProductResult& result) {
  const auto& attention = weights_.decoder[layer].memory_attention;
  if (attention.num_heads == 0) return workspace_.add_output_bias(attention, rows_, result);
  const auto heads = workspace_.project_query(attention, x, rows_);
  const auto beam = rows_ / std::ssize(sentences_);
  const bool wanted = track_coverage_ && layer + 1 == weights_.decoder.size();
  for (std::size_t i = 0; i < sentences_.size(); ++i) {
    const auto [first, count] = sentences_[i];
    const Memory memory{
        .key_value = caches_.memory[layer].data() + first * attention.key_value_width(),
        .rows = count};
    const auto row = static_cast<std::int64_t>(i) * beam;
    if (wanted) step_attention_.resize(static_cast<std::size_t>(beam * count));
    attend(attention, heads.from(row, attention), beam, memory, /*causal=*/false,
           wanted ? step_attention_.data() : nullptr);
    if (!wanted) continue;
    for (std::int64_t b = 0; b < beam; ++b) {
      auto& sums = attention_[static_cast<std::size_t>(row + b)];
      for (std::int64_t j = 0; j < count; ++j)
        sums[static_cast<std::size_t>(j)] +=
            step_attention_[static_cast<std::size_t>(b * count + j)];
    }
  }
  workspace_.multiply(attention.output, heads.context, rows_, result);
}

/// Sums of nothing for each row, at the first step.
void EngineScorer::begin_coverage() {
  if (!attention_.empty()) return;
  const auto beam = rows_ / std::ssize(sentences_);
  for (const auto& sentence : sentences_)
    attention_.insert(attention_.end(), static_cast<std::size_t>(beam),
                      std::vector<float>(static_cast<std::size_t>(sentence.count)));
}

Logits EngineScorer::logits(std::int64_t first, std::int64_t count) {
  const auto vocab_size = weights_.vocabulary.target;
  float* values = workspace_.logits.of_size(count * vocab_size);
  workspace_.multiply(weights_.generator, hidden_.data() + first * weights_.options.d_model, count,
                      {.c = values});
  return LogitsOf<float>{values, count, vocab_size};
}

std::vector<double> EngineScorer::coverage() {
  std::vector<double> result;
  for (const auto& sums : attention_) result.push_back(log_coverage(std::span<const float>(sums)));
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
  std::vector<std::vector<float>> attention;
  for (const auto row : rows) attention.push_back(attention_[static_cast<std::size_t>(row)]);
  attention_ = std::move(attention);
}

void EngineScorer::select_sentences(std::span<const std::int64_t> sentences) {
  std::vector<RowRange> kept;
  for (const auto sentence : sentences)
    kept.push_back(sentences_[static_cast<std::size_t>(sentence)]);
  sentences_ = std::move(kept);
}

}  // namespace dragoman
