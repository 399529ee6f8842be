#include "dragoman/model/layer_stack.h"

#include "dragoman/tensor/recompute.h"

#include <algorithm>

namespace dragoman {

at::Tensor run_in_segments(std::size_t count, std::int64_t segment, const at::Tensor& x,
                           const at::Tensor& memory, const RunLayer& run) {
  const auto step = static_cast<std::size_t>(segment);
  SegmentEnds ends{x, memory};
  for (std::size_t first = 0; first < count; first += step) {
    const auto last = std::min(first + step, count);
    ends = recomputed(ends, [=](at::Tensor hidden, const at::Tensor& read) {
      for (auto layer = first; layer < last; ++layer) hidden = run(layer, hidden, read);
      return hidden;
    });
  }
  return ends.x;
}

}  // namespace dragoman
