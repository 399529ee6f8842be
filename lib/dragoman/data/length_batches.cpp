#include "dragoman/data/length_batches.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace dragoman {

std::vector<std::vector<std::size_t>> length_batches(std::span<const std::int64_t> lengths,
                                                     std::int64_t cells) {
  std::vector<std::size_t> order(lengths.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t i) { return lengths[i]; });
  std::vector<std::vector<std::size_t>> batches;
  for (const auto i : order) {
    const bool full = batches.empty() ||
                      lengths[batches.back().front()] * (std::ssize(batches.back()) + 1) > cells;
    if (full) batches.emplace_back();
    batches.back().push_back(i);
  }
  return batches;
}

}  // namespace dragoman
