#pragma once

#include "dragoman/search/token_ranking.h"

#include <ATen/core/Tensor.h>

#include <span>

namespace dragoman {

/// `NextTokenScorer::rank_tokens` where the logits are: softmax, banned tokens and the search for
/// the best ones, or the draw of one, are computed on their device, and one copy brings the few
/// numbers that are asked for to the host. Log-probabilities are those of `LogitsReader` up to
/// rounding; of tokens that are exactly as probable as the last one found, any may be found. A draw
/// that falls on the border of two tokens' shares may select either.
/// \param logits of each model [rows, vocab_size] on one device, computed for this alone: they are
///     overwritten. With several models, the mean of their probabilities counts.
/// \throws DataError if the softmax of a row is not finite
RankedTokens rank_on_device(std::span<const at::Tensor> logits, const RankingRequest& request);

}  // namespace dragoman
