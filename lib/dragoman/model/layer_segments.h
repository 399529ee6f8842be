#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>

namespace dragoman {

/// One layer of a stack: (its index, x, memory) -> x.
using RunLayer =
    std::function<at::Tensor(std::int64_t layer, const at::Tensor& x, const at::Tensor& memory)>;

/// Runs a stack of layers. With segments, only the activations between two segments are kept for
/// the backward pass, which recomputes the rest (see `recomputed`).
/// \param count number of layers
/// \param segment layers per segment; 0 = everything is kept
/// \param x [batch, len, d_model]
/// \param memory read by all layers, [batch, source_len, d_model]; undefined = none
/// \param run must own everything it uses, since the backward pass may call it
/// \return [batch, len, d_model]
at::Tensor run_layers(std::int64_t count, std::int64_t segment, const at::Tensor& x,
                      const at::Tensor& memory, const RunLayer& run);

}  // namespace dragoman
