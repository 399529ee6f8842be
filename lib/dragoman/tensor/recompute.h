#pragma once

#include <ATen/core/Tensor.h>

#include <functional>

namespace dragoman {

/// The inputs, or outputs, of a segment of a network.
struct SegmentEnds {
  at::Tensor x;       ///< changed by the segment
  at::Tensor memory;  ///< read by this segment and later ones; undefined = there is none
};

/// A part of a network: (x, memory) -> x.
using Segment = std::function<at::Tensor(const at::Tensor& x, const at::Tensor& memory)>;

/// Runs `segment` and keeps only `from`: what its backward pass needs is recomputed when it gets
/// there (gradient checkpointing; Chen et al. 2016, "Training Deep Nets with Sublinear Memory
/// Cost"), with the same random numbers and under the same autocast. On a CPU results and gradients
/// are bit-identical to those without recomputation: even gradients of `memory` are accumulated in
/// the same order.
///
/// Without a graph, or if neither tensor requires a gradient, it simply calls `segment`.
/// \param segment may be called later, by backward; gradients of the parameters it uses are
///     accumulated in them
SegmentEnds recomputed(const SegmentEnds& from, const Segment& segment);

}  // namespace dragoman
