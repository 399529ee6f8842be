#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dragoman {

/// Groups things of like length, longest first, so that a group padded to its longest has at most
/// `cells` places (a single longer thing is a group by itself).
/// \param lengths of each, at least 1
/// \return indices into `lengths`; equal lengths stay in order
std::vector<std::vector<std::size_t>> length_batches(std::span<const std::int64_t> lengths,
                                                     std::int64_t cells);

}  // namespace dragoman
