#pragma once

#include <cstdint>

namespace dragoman {

/// Two bf16, rounded to the nearest, in each word; zeros behind the end.
/// \param words [(size + 1) / 2]
void pack_bf16_row(const float* row, std::int64_t size, std::int32_t* words);

/// Four bytes in each word: row / scale, rounded, + `zero`; `zero` behind the end.
/// \param words [(size + 3) / 4]
/// \param zero 0 for signed, 128 for unsigned bytes
/// \return scale: the largest magnitude / 127; NaN if the row holds one
float pack_int8_row(const float* row, std::int64_t size, std::int32_t zero, std::int32_t* words);

}  // namespace dragoman
