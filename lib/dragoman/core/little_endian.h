#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace dragoman {

/// The unsigned number whose least significant byte comes first; at most 8 bytes.
inline std::uint64_t from_little_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;)
    value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

/// The bytes of an unsigned number, the least significant one first.
template <typename Number>
std::string to_little_endian(Number number) {
  std::string bytes;
  for (std::size_t i = 0; i < sizeof number; ++i)
    bytes += static_cast<char>(number >> (8 * i) & 0xFF);
  return bytes;
}

}  // namespace dragoman
