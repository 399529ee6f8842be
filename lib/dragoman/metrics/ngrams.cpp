#include "dragoman/metrics/ngrams.h"

#include <algorithm>

namespace dragoman {

namespace {

/// The symbols from one position of a text on, at most the length of the longest n-gram.
struct Suffix {
  std::u32string_view symbols;
  std::size_t text;  // 0 = the hypothesis, r = reference r
};

void add_suffixes(std::u32string_view symbols, std::size_t text, std::size_t max_order,
                  std::vector<Suffix>& suffixes) {
  for (std::size_t at = 0; at < symbols.size(); ++at)
    suffixes.push_back({symbols.substr(at, max_order), text});
}

std::size_t common_prefix(std::u32string_view a, std::u32string_view b) {
  const auto limit = std::min(a.size(), b.size());
  std::size_t length = 0;
  while (length < limit && a[length] == b[length]) ++length;
  return length;
}

std::int64_t clipped(std::span<const std::int64_t> counts) {
  return std::min(counts[0], *std::max_element(counts.begin() + 1, counts.end()));
}

}  // namespace

// Once the suffixes of all texts are sorted, equal n-grams of every order are adjacent.
std::vector<std::int64_t> clipped_matches(std::u32string_view hypothesis,
                                          std::span<const std::u32string_view> references,
                                          std::size_t max_order) {
  std::vector<std::int64_t> matches(max_order, 0);
  if (references.empty()) return matches;
  std::vector<Suffix> suffixes;
  add_suffixes(hypothesis, 0, max_order, suffixes);
  for (std::size_t r = 0; r < references.size(); ++r)
    add_suffixes(references[r], r + 1, max_order, suffixes);
  std::sort(suffixes.begin(), suffixes.end(),
            [](const Suffix& a, const Suffix& b) { return a.symbols < b.symbols; });
  std::vector<std::size_t> shared(suffixes.size(), 0);  // length of the common prefix with the
                                                        // previous suffix
  for (std::size_t i = 1; i < suffixes.size(); ++i)
    shared[i] = common_prefix(suffixes[i - 1].symbols, suffixes[i].symbols);

  std::vector<std::int64_t> counts(references.size() + 1, 0);
  for (std::size_t n = 1; n <= max_order; ++n) {
    std::fill(counts.begin(), counts.end(), 0);
    for (std::size_t i = 0; i < suffixes.size(); ++i) {
      if (shared[i] < n) {
        matches[n - 1] += clipped(counts);
        std::fill(counts.begin(), counts.end(), 0);
      }
      if (suffixes[i].symbols.size() >= n) ++counts[suffixes[i].text];
    }
    matches[n - 1] += clipped(counts);
  }
  return matches;
}

std::u32string TokenNumbers::number(std::span<const std::u32string> tokens) {
  std::u32string numbers;
  numbers.reserve(tokens.size());
  for (const auto& token : tokens)
    numbers += known_.try_emplace(token, static_cast<char32_t>(known_.size())).first->second;
  return numbers;
}

}  // namespace dragoman
