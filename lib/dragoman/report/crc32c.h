#pragma once

#include <cstdint>
#include <string_view>

namespace dragoman {

/// CRC-32C (Castagnoli's polynomial, reflected).
std::uint32_t crc32c(std::string_view bytes);

/// The same in the form TFRecord files keep it: rotated right by 15 bits, plus a constant, so that
/// a checksum of data that hold checksums stays reliable.
std::uint32_t masked_crc32c(std::string_view bytes);

}  // namespace dragoman
