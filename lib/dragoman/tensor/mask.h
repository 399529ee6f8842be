#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace dragoman {

/// The causal mask: each position may attend to itself and those before it (section 3.2.3).
/// \return [len, len] bool, true = may be attended to
at::Tensor causal_mask(std::int64_t len, const at::Device& device = at::kCPU);

}  // namespace dragoman
