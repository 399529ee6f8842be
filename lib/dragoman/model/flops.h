#pragma once

#include "dragoman/config/model_options.h"

#include <cstdint>

namespace dragoman {

/// How many keys a query of a sequence weighs, on average, by the definition of the head's kind: all
/// for exact kinds, causal or not; no head of a sparse kind more than all. Of `linear` and `low_rank`
/// as many as cost the same: their rank or width, and the projection of each position.
double keys_of_a_query(const HeadAttention& head, double len, double head_width);

/// Floating-point operations of the matrix products (a multiply-add counts as two) of one sentence
/// pair's forward pass, logits of every target position included. The backward pass costs twice as
/// much.
/// \param vocab_size of the target
/// \param source_len tokens, EOS included
/// \param target_len tokens, EOS included
double forward_flops(const ModelOptions& options, std::int64_t vocab_size, std::int64_t source_len,
                     std::int64_t target_len);

}  // namespace dragoman
