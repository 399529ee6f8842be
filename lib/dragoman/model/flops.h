#pragma once

#include "dragoman/config/model_options.h"

#include <cstdint>

namespace dragoman {

/// The average number of keys that a query of a sequence attends to, by the definition of the
/// head's kind: all for exact kinds, causal or not; sparse kinds never more than all. For `linear`
/// and `low_rank`, the number of equal cost: their rank or width, plus the projection of each
/// position.
double keys_of_a_query(const HeadAttention& head, double len, double head_width);

/// Floating-point operations of the matrix products (a multiply-add counts as two) in the forward
/// pass of one sentence pair, including the logits of every target position. The backward pass
/// costs twice as much.
/// \param vocab_size of the target
/// \param source_len tokens, EOS included
/// \param target_len tokens, EOS included
double forward_flops(const ModelOptions& options, std::int64_t vocab_size, std::int64_t source_len,
                     std::int64_t target_len);

}  // namespace dragoman
