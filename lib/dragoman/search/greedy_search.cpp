#include "dragoman/search/greedy_search.h"

#include "dragoman/search/ngram.h"
#include "dragoman/search/path_search.h"

namespace dragoman {

std::vector<std::vector<Hypothesis>> greedy_search(NextTokenScorer& scorer,
                                                   const SearchBatch& batch,
                                                   const SearchOptions& options) {
  const auto query = [&options](const OpenPath& path) {
    return TokenQuery{.banned = repeating_tokens(path.so_far.ids, options.no_repeat_ngram)};
  };
  const auto most_probable = [](StepReader& reader, std::int64_t row,
                                const TokenQuery& asked) -> std::optional<Candidate> {
    Candidate best;
    if (reader.best_tokens(row, asked.banned, {&best, 1}) == 0) return std::nullopt;
    return best;
  };
  return search_paths(scorer, batch, options, 1, {.query = query, .answer = most_probable});
}

}  // namespace dragoman
