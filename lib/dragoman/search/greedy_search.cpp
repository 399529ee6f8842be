#include "dragoman/search/greedy_search.h"

#include "dragoman/search/ngram.h"
#include "dragoman/search/path_search.h"

namespace dragoman {

std::vector<Hypothesis> greedy_search(NextTokenScorer& scorer,
                                      std::span<const std::int64_t> max_lengths,
                                      const SearchTokens& tokens, std::int64_t no_repeat_ngram,
                                      ForcedPrefixes prefixes) {
  const auto most_probable = [no_repeat_ngram](StepReader& reader, std::int64_t row,
                                               const OpenPath& path) -> std::optional<Candidate> {
    Candidate best;
    const auto banned = repeating_tokens(path.so_far.ids, no_repeat_ngram);
    if (reader.best_tokens(row, banned, {&best, 1}) == 0) return std::nullopt;
    return best;
  };
  std::vector<Hypothesis> results;
  for (auto& paths : search_paths(scorer, max_lengths, prefixes, 1, tokens, most_probable))
    results.push_back(std::move(paths.front()));
  return results;
}

}  // namespace dragoman
