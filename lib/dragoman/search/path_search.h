#pragma once

#include "dragoman/config/search_options.h"
#include "dragoman/search/hypothesis.h"
#include "dragoman/search/next_token_scorer.h"
#include "dragoman/search/search_batch.h"

#include <vector>

namespace dragoman {

// Searches that follow independent paths until EOS or the length limit.

/// Takes the most probable token at each step. Beam search with a beam of 1 considers two
/// candidates and may therefore find a better hypothesis.
/// \param scorer fresh: no tokens given yet
/// \param options those for beams and sampling have no effect
/// \return for each sentence one hypothesis; its score is its log-probability
/// \throws DataError if the model's output is not finite
std::vector<std::vector<Hypothesis>> greedy_search(NextTokenScorer& scorer,
                                                   const SearchBatch& batch,
                                                   const SearchOptions& options);

/// Draws each token at random with `TokenSampler`.
///
/// The random number of a token depends only on the sentence's stream, the sample's index and the
/// token's position, so a sentence's samples do not depend on the batch.
/// \param scorer fresh: no tokens given yet
/// \param batch with streams of random numbers
/// \return for each sentence `options.n_best` independent samples in drawing order; their
///     log-probabilities and scores are the model's own, before temperature, top_k and top_p
/// \throws DataError if the model's output is not finite
std::vector<std::vector<Hypothesis>> sample(NextTokenScorer& scorer, const SearchBatch& batch,
                                            const SearchOptions& options);

}  // namespace dragoman
