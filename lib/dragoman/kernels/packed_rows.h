#pragma once

#include <cstdint>

namespace dragoman {

/// Two bf16, rounded to nearest, per word; padded with zeros.
/// \param words [(size + 1) / 2]
void pack_bf16_row(const float* row, std::int64_t size, std::int32_t* words);

/// Four bytes per word: row / scale, rounded, + `zero`; padded with `zero`.
/// \param words [(size + 3) / 4]
/// \param zero 0 for signed, 128 for unsigned bytes
/// \return scale: the largest magnitude / 127; NaN if the row contains NaN or infinity
float pack_int8_row(const float* row, std::int64_t size, std::int32_t zero, std::int32_t* words);

/// The sum of `zero` - byte over the unsigned bytes below `zero`.
/// \param words [size]
std::int32_t sum_below(std::int32_t zero, const std::int32_t* words, std::int64_t size);

}  // namespace dragoman
