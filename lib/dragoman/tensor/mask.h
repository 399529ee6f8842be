#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace dragoman {

/// Which positions may look at which: those before and themselves (section 3.2.3).
/// \return [len, len] bool, true = may be looked at
at::Tensor causal_mask(std::int64_t len, const at::Device& device = at::kCPU);

/// The real tokens of sentences that are padded behind their end.
/// \param lengths [batch] int64, tokens of each sentence
/// \return [batch, len] bool, true = a real token
at::Tensor padding_mask(const at::Tensor& lengths, std::int64_t len);

}  // namespace dragoman
