#pragma once

#include "dragoman/kernels/bf16.h"

#include <cstdint>

namespace dragoman {

/// sums += x for each element, in float32.
void add_bf16(float* sums, const Bf16* x, std::int64_t count);

/// sums += the sum of the rows of `x`, in float32.
/// \param sums [columns]
/// \param x [rows, columns]
void add_bf16_rows(float* sums, const Bf16* x, std::int64_t rows, std::int64_t columns);

}  // namespace dragoman
