#pragma once

#include <algorithm>
#include <span>

namespace dragoman {

/// First and last code point, both inclusive.
struct CodePointRange {
  char32_t first;
  char32_t last;
};

/// Whether one of the ranges, which are sorted and disjoint, has a character.
constexpr bool is_in(std::span<const CodePointRange> ranges, char32_t character) {
  const auto next = std::ranges::upper_bound(ranges, character, {}, &CodePointRange::first);
  return next != ranges.begin() && character <= (next - 1)->last;
}

}  // namespace dragoman
