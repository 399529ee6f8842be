#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dragoman {

/// Groups items of similar length, longest first, so that a group padded to its longest has at most
/// `cells` positions (a single longer item forms a group of its own).
/// \param lengths of each, at least 1
/// \return indices into `lengths`; equal lengths keep their order
std::vector<std::vector<std::size_t>> length_batches(std::span<const std::int64_t> lengths,
                                                     std::int64_t cells);

}  // namespace dragoman
