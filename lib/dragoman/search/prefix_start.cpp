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

std::optional<Candidate> fixed_token(StepReader& reader, std::int64_t row, const SearchBatch& batch,
                                     const SearchOptions& options, std::size_t sentence,
                                     std::int64_t length) {
  if (options.force_eos && length + 1 == batch.max_lengths[sentence])
    return Candidate{0.0, batch.special.eos};
  const auto forced = forced_token(batch.prefixes, sentence, static_cast<std::size_t>(length));
  if (!forced) return std::nullopt;
  auto token = reader.given_token(row);
  if (length < batch.free_tokens) token.value = 0.0;
  return token;
}

}  // namespace dragoman
