#pragma once

#include <cstdint>
#include <string_view>

namespace dragoman {

/// What a line has in common with its translation.
struct LineFeatures {
  /// Bloom filter of the words that translations often keep: numbers, words of four bytes or more,
  /// and shorter ones that begin with a capital.
  std::uint64_t words;
  std::uint16_t characters;  ///< length, at most 65,535
};

LineFeatures line_features(std::string_view line);

}  // namespace dragoman
