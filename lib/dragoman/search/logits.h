#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <variant>

namespace dragoman {

inline constexpr std::int64_t logits_block = 64;
inline constexpr std::int64_t logits_chunk = 16 * logits_block;

/// Logits (or log-probabilities) of some rows, one after the other. The search may overwrite them.
template <typename Scalar>
struct LogitsOf {
  Scalar* values = nullptr;  ///< [rows, vocab_size]
  std::int64_t rows = 0;
  std::int64_t vocab_size = 0;  ///< with `tokens` fewer
  /// [rows, blocks of `logits_block` values, the last one shorter]: the largest value of each
  /// block, by which a search skips most of them; null = unknown.
  Scalar* block_maxima = nullptr;
  /// [rows, chunks of `logits_chunk` values, the last one shorter]: of each chunk the sum of
  /// exp(value - its largest), by which the softmax is known without reading the values again: of
  /// the values before any token was forbidden. Only with `block_maxima`; null = unknown.
  const Scalar* chunk_sums = nullptr;
  /// Of each row the tokens that its first values belong to, ascending: those of a shortlist. The
  /// other values have no token, and other tokens are not allowed. Empty = value i belongs to
  /// token i.
  std::span<const std::span<const std::int32_t>> tokens = {};

  std::int64_t blocks() const { return (vocab_size + logits_block - 1) / logits_block; }
  std::int64_t chunks() const { return (vocab_size + logits_chunk - 1) / logits_chunk; }

  std::span<Scalar> row(std::int64_t index) const {
    return {values + index * vocab_size, static_cast<std::size_t>(vocab_size)};
  }
  std::span<const std::int32_t> tokens_of_row(std::int64_t index) const {
    if (tokens.empty()) return {};
    return tokens[static_cast<std::size_t>(index)];
  }
  std::span<Scalar> maxima_of_row(std::int64_t index) const {
    if (block_maxima == nullptr) return {};
    return {block_maxima + index * blocks(), static_cast<std::size_t>(blocks())};
  }
  std::span<const Scalar> sums_of_row(std::int64_t index) const {
    if (chunk_sums == nullptr) return {};
    return {chunk_sums + index * chunks(), static_cast<std::size_t>(chunks())};
  }
};

using Logits = std::variant<LogitsOf<float>, LogitsOf<double>>;

/// Sets one logit of a row to minus infinity.
/// \param place of the logit in `values`
/// \param block_maxima of the row, kept up to date; empty = unknown
template <typename Scalar>
void forbid_logit(std::span<Scalar> values, std::span<Scalar> block_maxima, std::size_t place) {
  constexpr auto block = static_cast<std::size_t>(logits_block);
  const auto before = values[place];
  values[place] = -std::numeric_limits<Scalar>::infinity();
  if (block_maxima.empty() || before < block_maxima[place / block]) return;
  const auto of_block = values.subspan(place / block * block);
  block_maxima[place / block] =
      *std::ranges::max_element(of_block.first(std::min(block, of_block.size())));
}

}  // namespace dragoman
