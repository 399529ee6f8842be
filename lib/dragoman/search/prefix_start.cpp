#include "dragoman/search/prefix_start.h"

namespace dragoman {

PrefixStart start_with_prefixes(NextTokenScorer& scorer, const SearchBatch& batch,
                                const TokenRules& rules) {
  PrefixStart start{.length = shared_prefix_length(batch.prefixes)};
  if (start.length == 0 || !scorer.takes_prefixes()) return {};
  for (const auto& prefix : scorer.advance_prefix(batch.prefixes, start.length, rules)) {
    auto& log_probs = start.log_probs.emplace_back();
    for (const auto& [log_prob, log_allowed] : prefix)
      log_probs.push_back(std::ssize(log_probs) < batch.free_tokens ? 0.0 : log_prob - log_allowed);
  }
  return start;
}

}  // namespace dragoman
