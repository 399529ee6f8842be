#pragma once

#include "dragoman/attention/attention.h"
#include "dragoman/config/attention_options.h"

#include <cstdint>
#include <functional>
#include <memory>

namespace dragoman {

/// Creates the attention for one head's options.
std::shared_ptr<const Attention> make_attention(const HeadAttention& options);

/// Creates the attention of a layer: one for all heads, or one per group of heads with equal
/// options.
std::shared_ptr<const Attention> make_attention(const LayerAttention& options,
                                                std::int64_t num_heads);

/// The average number of keys that a query attends to in a sequence of `len` tokens.
using KeysPerQuery = std::function<double(double len)>;

/// The keys of a query by the definition of the head's kind: all for exact kinds, causal or not;
/// sparse kinds never more than all. For `linear` and `low_rank`, the number of equal cost: their
/// width or rank, plus the projection of each position. It draws no random numbers.
/// \param head_width the mean of d_k and d_v
KeysPerQuery keys_per_query(const HeadAttention& options, double head_width);

}  // namespace dragoman
