#pragma once

#include <cstdint>
#include <span>
#include <variant>

namespace dragoman {

/// Logits (or log-probabilities) of some rows, one after the other. The search may overwrite them.
template <typename Scalar>
struct LogitsOf {
  Scalar* values = nullptr;  ///< [rows, vocab_size]
  std::int64_t rows = 0;
  std::int64_t vocab_size = 0;

  std::span<Scalar> row(std::int64_t index) const {
    return {values + index * vocab_size, static_cast<std::size_t>(vocab_size)};
  }
};

using Logits = std::variant<LogitsOf<float>, LogitsOf<double>>;

}  // namespace dragoman
