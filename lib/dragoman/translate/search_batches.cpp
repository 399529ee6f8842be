#include "dragoman/translate/search_batches.h"

#include "dragoman/core/quantity.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <utility>

namespace dragoman {

std::int64_t least_positions(double bytes_per_sentence, std::int64_t max_positions) {
  if (bytes_per_sentence <= 0.0) return 0;
  constexpr double most_bytes = 8192.0 * mebibyte;
  const auto sentences = std::max(1.0, std::floor(most_bytes / bytes_per_sentence));
  return static_cast<std::int64_t>(std::ceil(static_cast<double>(max_positions) / sentences));
}

std::vector<BatchIndices> search_batches(std::span<const SearchLengths> lengths,
                                         std::int64_t max_positions) {
  std::map<std::int64_t, BatchIndices> by_width;
  for (std::uint32_t i = 0; i < lengths.size(); ++i) {
    const auto width = std::bit_width(static_cast<std::uint64_t>(lengths[i].prefix));
    by_width[static_cast<std::int64_t>(width)].push_back(i);
  }
  std::vector<BatchIndices> batches;
  for (const auto& [width, members] : by_width) {
    std::vector<std::int64_t> sources;
    for (const auto i : members) sources.push_back(lengths[i].source);
    for (auto& batch : length_batches(sources, max_positions)) {
      for (auto& index : batch) index = members[index];
      batches.push_back(std::move(batch));
    }
  }
  return batches;
}

}  // namespace dragoman
