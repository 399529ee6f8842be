#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace dragoman {

/// For each sentence the tokens that its hypotheses must begin with: fewer than its length limit
/// and without EOS. An empty list means that no sentence has a prefix.
using ForcedPrefixes = std::span<const std::vector<std::int32_t>>;

/// What a model says about one token of a prefix.
struct PrefixToken {
  double log_prob = 0.0;  ///< ln P of the token, over all tokens
  /// ln of the total probability of the allowed tokens; 0 where the normaliser is all tokens.
  double log_allowed = 0.0;
};

/// The token that must follow the first `length` tokens of a sentence's hypotheses, if there is
/// one.
inline std::optional<std::int64_t> forced_token(ForcedPrefixes prefixes, std::size_t sentence,
                                                std::size_t length) {
  if (prefixes.empty() || length >= prefixes[sentence].size()) return std::nullopt;
  return prefixes[sentence][length];
}

/// The number of tokens that every sentence's prefix has at least.
inline std::int64_t shared_prefix_length(ForcedPrefixes prefixes) {
  if (prefixes.empty()) return 0;
  auto length = std::ssize(prefixes.front());
  for (const auto& prefix : prefixes) length = std::min(length, std::ssize(prefix));
  return length;
}

}  // namespace dragoman
