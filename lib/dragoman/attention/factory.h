#pragma once

#include "dragoman/attention/attention.h"
#include "dragoman/config/attention_options.h"

#include <cstdint>
#include <memory>

namespace dragoman {

/// Creates the attention for one head's options.
/// \throws ContractError for a kind outside the enumeration
std::shared_ptr<const Attention> make_attention(const HeadAttention& options);

/// Creates the attention of a layer: one for all heads, or one per group of heads with equal
/// options.
std::shared_ptr<const Attention> make_attention(const LayerAttention& options,
                                                std::int64_t num_heads);

}  // namespace dragoman
