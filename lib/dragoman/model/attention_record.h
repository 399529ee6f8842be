#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace dragoman {

/// The attention weights of a forward pass, one tensor [batch, num_heads, query_len, key_len] per
/// layer. A pass that is given a record appends to it.
struct AttentionRecord {
  std::vector<at::Tensor> encoder_self;
  std::vector<at::Tensor> decoder_self;
  std::vector<at::Tensor> cross;  ///< decoder to encoder
};

}  // namespace dragoman
