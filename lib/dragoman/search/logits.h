#pragma once

#include <cstdint>
#include <span>
#include <variant>

namespace dragoman {

inline constexpr std::int64_t logits_block = 64;

/// Logits (or log-probabilities) of some rows, one after the other. The search may overwrite them.
template <typename Scalar>
struct LogitsOf {
  Scalar* values = nullptr;  ///< [rows, vocab_size]
  std::int64_t rows = 0;
  std::int64_t vocab_size = 0;
  /// [rows, blocks of `logits_block` values, the last one shorter]: the largest value of each
  /// block, by which a search skips most of them; null = unknown.
  Scalar* block_maxima = nullptr;

  std::span<Scalar> row(std::int64_t index) const {
    return {values + index * vocab_size, static_cast<std::size_t>(vocab_size)};
  }
  std::span<Scalar> maxima_of_row(std::int64_t index) const {
    if (block_maxima == nullptr) return {};
    const auto blocks = (vocab_size + logits_block - 1) / logits_block;
    return {block_maxima + index * blocks, static_cast<std::size_t>(blocks)};
  }
};

using Logits = std::variant<LogitsOf<float>, LogitsOf<double>>;

}  // namespace dragoman
