#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>

namespace dragoman {

/// What a model says about given tokens, on the CPU.
struct TokenLogProbs {
  at::Tensor given;  ///< ln P of each token, [targets, target_len] float32
  /// Whether each is the most probable one in its place, the first of equals, [targets, target_len]
  /// bool.
  at::Tensor most_probable;
};

/// The log-probabilities of tokens, in memory that does not grow with their number: the logits of
/// at most 64 rows exist at once, on a GPU of as many as have 2^27 logits.
/// \param hidden the decoder's output, [targets, target_len, d_model]
/// \param tokens on the same device, [targets, target_len] int64
/// \param vocab_size logits of a row
/// \param logits_of maps [rows, d_model] to [rows, vocab_size]
TokenLogProbs token_log_probs(const at::Tensor& hidden, const at::Tensor& tokens,
                              std::int64_t vocab_size,
                              const std::function<at::Tensor(const at::Tensor&)>& logits_of);

}  // namespace dragoman
