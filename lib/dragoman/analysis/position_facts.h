#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace dragoman {

// The properties of sinusoids claimed in section 3.5 of the paper, as numbers.

/// The matrix M with PE(pos + offset) = M PE(pos) for every pos: a rotation in each pair of
/// dimensions.
/// \return [d_model, d_model] float64
at::Tensor shift_matrix(std::int64_t offset, std::int64_t d_model);

/// The largest |PE(pos + offset) - M PE(pos)| over all positions below `len`.
double shift_error(std::int64_t offset, std::int64_t len, std::int64_t d_model);

/// PE(pos) . PE(pos + offset), which is the same for every pos, for offsets 0 .. len - 1.
std::vector<double> dot_by_offset(std::int64_t len, std::int64_t d_model);

/// The smallest Euclidean distance between two different positions below `len`, at least 2.
double least_distance(std::int64_t len, std::int64_t d_model);

}  // namespace dragoman
