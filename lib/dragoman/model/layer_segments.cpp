#include "dragoman/model/layer_segments.h"

#include "dragoman/tensor/recompute.h"

#include <algorithm>

namespace dragoman {

at::Tensor run_layers(std::int64_t count, std::int64_t segment, const at::Tensor& x,
                      const at::Tensor& memory, const RunLayer& run) {
  const auto run_some = [run](std::int64_t first, std::int64_t last, at::Tensor hidden,
                              const at::Tensor& read) {
    for (auto layer = first; layer < last; ++layer) hidden = run(layer, hidden, read);
    return hidden;
  };
  if (segment == 0) return run_some(0, count, x, memory);
  SegmentEnds ends{x, memory};
  for (std::int64_t first = 0; first < count; first += segment) {
    const auto last = std::min(first + segment, count);
    ends = recomputed(ends, [=](const at::Tensor& input, const at::Tensor& read) {
      return run_some(first, last, input, read);
    });
  }
  return ends.x;
}

}  // namespace dragoman
