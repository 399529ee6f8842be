#include "dragoman/search/search.h"

#include "dragoman/search/beam_search.h"
#include "dragoman/search/path_search.h"

namespace dragoman {

std::vector<std::vector<Hypothesis>> run_search(NextTokenScorer& scorer, const SearchBatch& batch,
                                                const SearchOptions& options) {
  if (options.sample) return sample(scorer, batch, options);
  if (options.greedy) return greedy_search(scorer, batch, options);
  return beam_search(scorer, batch, options);
}

}  // namespace dragoman
