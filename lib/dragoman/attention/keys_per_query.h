#pragma once

#include "dragoman/config/attention_options.h"

#include <functional>

namespace dragoman {

/// The average number of keys that a query attends to in a sequence of `len` tokens.
using KeysPerQuery = std::function<double(double len)>;

/// The keys of a query by the definition of the head's kind, without regard to the ends of the
/// sequence, where there are fewer: all for exact kinds, causal or not; sparse kinds never more
/// than all. For `linear` and `low_rank`, the number of equal cost: their width, or twice the rank,
/// since each position contributes to the projected keys and then attends to them.
/// \param head_width the mean of d_k and d_v
KeysPerQuery keys_per_query(const HeadAttention& options, double head_width);

}  // namespace dragoman
