#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace dragoman {

/// The sum over the source's tokens j of ln(min(sum_i a_ij, 1)), where a_ij is the attention weight
/// of the i-th target token on j: 0 if every source token received the attention of about one
/// target token, and lower the more were missed (Wu et al. 2016, section 7, where it is multiplied
/// by beta).
/// \param attention its sum over target tokens, [rows, source_len] float32 or float64; clamped
///     below at 1e-30
/// \param source_mask [sentences, source_len] bool, true = a real token; rows are sentence-major
/// \return one value per row
std::vector<double> log_coverage(const at::Tensor& attention, const at::Tensor& source_mask);

}  // namespace dragoman
