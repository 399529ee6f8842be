#include "dragoman/search/greedy_search.h"

#include "dragoman/search/ngram.h"
#include "dragoman/search/path_search.h"

namespace dragoman {

std::vector<std::vector<Hypothesis>> greedy_search(NextTokenScorer& scorer,
                                                   const SearchBatch& batch,
                                                   const SearchOptions& options) {
  const auto most_probable = [&options](StepReader& reader, std::int64_t row,
                                        const OpenPath& path) -> std::optional<Candidate> {
    Candidate best;
    const auto banned = repeating_tokens(path.so_far.ids, options.no_repeat_ngram);
    if (reader.best_tokens(row, banned, {&best, 1}) == 0) return std::nullopt;
    return best;
  };
  return search_paths(scorer, batch, 1, most_probable);
}

}  // namespace dragoman
