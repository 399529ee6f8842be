#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>

namespace dragoman {

/// One layer of a stack: (its number, x, memory) -> x.
using RunLayer =
    std::function<at::Tensor(std::int64_t layer, const at::Tensor& x, const at::Tensor& memory)>;

/// Runs a stack of layers. In segments, only what lies between two of them is kept for the backward
/// pass, which computes the rest again (see `recomputed`).
/// \param count layers
/// \param segment layers of a segment; 0 = everything is kept
/// \param x [batch, len, d_model]
/// \param memory what all layers read, [batch, source_len, d_model]; undefined = nothing
/// \param run must hold all that it uses, since backward may call it
/// \return [batch, len, d_model]
at::Tensor run_layers(std::int64_t count, std::int64_t segment, const at::Tensor& x,
                      const at::Tensor& memory, const RunLayer& run);

}  // namespace dragoman
