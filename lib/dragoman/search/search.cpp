#include "dragoman/search/search.h"

#include "dragoman/search/beam_search.h"
#include "dragoman/search/greedy_search.h"
#include "dragoman/search/sampling.h"

namespace dragoman {

std::vector<std::vector<Hypothesis>> run_search(NextTokenScorer& scorer, const SearchBatch& batch,
                                                const SearchOptions& options,
                                                const SearchTokens& tokens) {
  if (options.sample)
    return sample(scorer, batch.max_lengths, batch.streams, options, tokens, batch.prefixes);
  if (!options.greedy) return beam_search(scorer, batch, options, tokens);
  std::vector<std::vector<Hypothesis>> found;
  for (auto& hypothesis :
       greedy_search(scorer, batch.max_lengths, tokens, options.no_repeat_ngram, batch.prefixes))
    found.push_back({std::move(hypothesis)});
  return found;
}

}  // namespace dragoman
