#pragma once

#include "dragoman/config/search_options.h"
#include "dragoman/text/special_ids.h"

#include <cstdint>
#include <vector>

namespace dragoman {

/// Over which tokens probabilities sum to 1.
enum class Normaliser {
  all_tokens,
  allowed_tokens  ///< those that a search may choose
};

/// What a search may choose at any step, and what probabilities it sees.
struct TokenRules {
  SpecialIds special = {};
  UnknownRule unknown = UnknownRule::keep;
  Normaliser normaliser = Normaliser::all_tokens;

  /// The tokens that are never chosen: pad and BOS, unless they are EOS as in some systems, and unk
  /// if that is the rule.
  std::vector<std::int64_t> forbidden() const {
    std::vector<std::int64_t> tokens;
    for (const auto token : {special.pad, special.bos})
      if (token != special.eos) tokens.push_back(token);
    if (unknown == UnknownRule::forbid) tokens.push_back(special.unk);
    return tokens;
  }
};

inline TokenRules token_rules(const SpecialIds& special, const SearchOptions& options) {
  return {.special = special,
          .unknown = options.unknown,
          .normaliser = options.renormalize ? Normaliser::allowed_tokens : Normaliser::all_tokens};
}

}  // namespace dragoman
