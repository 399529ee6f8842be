#pragma once

#include <ATen/core/Tensor.h>

#include <functional>

namespace dragoman {

/// What goes into a segment of a network and what comes out of it.
struct SegmentEnds {
  at::Tensor x;       ///< is changed by the segment
  at::Tensor memory;  ///< is read by it and by those after it; undefined = there is none
};

/// A part of a network: (x, memory) -> x.
using Segment = std::function<at::Tensor(const at::Tensor& x, const at::Tensor& memory)>;

/// Runs `segment` and keeps `from` alone: what its backward pass needs is computed again when it comes
/// there (gradient checkpointing; Chen et al. 2016, "Training Deep Nets with Sublinear Memory Cost"),
/// with the same random numbers and under the same autocast. On a CPU results and gradients have the
/// bits that they have without: gradients of `memory` are added up in the same order too.
///
/// Without a graph, or where neither tensor wants a gradient, it is no more than a call of `segment`.
/// \param segment may be called later, by backward; gradients of the parameters it uses go to them
SegmentEnds recomputed(const SegmentEnds& from, const Segment& segment);

}  // namespace dragoman
