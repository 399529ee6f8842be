#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace dragoman {

/// A source and a target position that are aligned, counted from 0.
using AlignedPositions = std::pair<std::size_t, std::size_t>;

/// Joins the alignments of both directions by the heuristic "grow-diag-final-and" (Koehn, Och and
/// Marcu 2003; Koehn et al. 2005): the points of both, neighbours that are in one of them and have
/// a position without a point, then points of one between positions without any.
/// \param source_of of each target position the source position, or -1
/// \param target_of of each source position the target position, or -1
std::vector<AlignedPositions> grow_diag_final_and(std::span<const std::int32_t> source_of,
                                                  std::span<const std::int32_t> target_of);

}  // namespace dragoman
