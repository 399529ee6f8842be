#pragma once

#include "dragoman/config/attention_options.h"

#include <functional>

namespace dragoman {

/// The average number of keys that a query attends to in a sequence of `len` tokens.
using KeysPerQuery = std::function<double(double len)>;

/// The keys of a query by the definition of the head's kind, without regard to the ends of the
/// sequence, where there are fewer: all for exact kinds, causal or not; of a window in the decoder
/// its past half; sparse kinds never more than all. `global_tokens` are not counted, since their
/// number depends on the text. For `linear` and `low_rank`, the number of equal cost: two products
/// of d_k by d_v and the normaliser, or twice the rank, since each position contributes to the
/// projected keys and then attends to them.
/// \param side a decoder sees the past only
KeysPerQuery keys_per_query(const HeadAttention& options, double d_k, double d_v, StackSide side);

}  // namespace dragoman
