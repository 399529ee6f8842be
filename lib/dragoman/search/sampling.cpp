#include "dragoman/search/sampling.h"

#include "dragoman/core/mix.h"
#include "dragoman/search/ngram.h"
#include "dragoman/search/path_search.h"
#include "dragoman/search/token_sampler.h"

namespace dragoman {

namespace {

/// The number in [0, 1) that selects a path's next token.
double uniform_for(const OpenPath& path, std::uint64_t stream) {
  return uniform(mix(mix(stream, path.path), path.so_far.ids.size()));
}

}  // namespace

std::vector<std::vector<Hypothesis>> sample(NextTokenScorer& scorer, const SearchBatch& batch,
                                            const SearchOptions& options) {
  TokenSampler sampler(options);
  const auto query = [&](const OpenPath& path) {
    return TokenQuery{.banned = repeating_tokens(path.so_far.ids, options.no_repeat_ngram),
                      .draw = uniform_for(path, batch.streams[path.sentence])};
  };
  const auto drawn = [&](StepReader& reader, std::int64_t row, const TokenQuery& asked) {
    return reader.drawn_token(row, asked.banned, sampler, asked.draw);
  };
  return search_paths(scorer, batch, options, options.n_best,
                      {.query = query, .answer = drawn, .sampling = &options});
}

}  // namespace dragoman
