#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace dragoman {

/// Clipped matches of n-grams of symbols, code points or numbered tokens: for each distinct
/// n-gram of the hypothesis the smaller of its count there and its largest count in a reference.
/// \return [max_order], for n = 1..max_order
std::vector<std::int64_t> clipped_matches(std::u32string_view hypothesis,
                                          std::span<const std::u32string_view> references,
                                          std::size_t max_order);

/// The number of n-grams in a sequence of `length` symbols.
inline std::int64_t ngram_count(std::size_t length, std::size_t order) {
  return length < order ? 0 : static_cast<std::int64_t>(length - order + 1);
}

/// Assigns a number to each distinct token, so that sentences become sequences of symbols.
class TokenNumbers {
 public:
  /// [tokens], with equal numbers for equal tokens of this and earlier calls.
  std::u32string number(std::span<const std::u32string> tokens);

 private:
  std::unordered_map<std::u32string, char32_t> known_;
};

}  // namespace dragoman
