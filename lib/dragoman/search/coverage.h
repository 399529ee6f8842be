#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace dragoman {

/// The sum over the source's tokens j of ln(min(sum_i a_ij, 1)), with a_ij the attention that the
/// i-th target token paid to j: 0 where each source token was looked at by about one target token,
/// the lower the more were passed over (Wu et al. 2016, section 7, there times beta).
/// \param attention its sum over target tokens, [rows, source_len] float32 or float64; less than
///     1e-30 counts as that
/// \param source_mask [sentences, source_len] bool, true = a real token; rows are sentence-major
/// \return for each row
std::vector<double> log_coverage(const at::Tensor& attention, const at::Tensor& source_mask);

}  // namespace dragoman
