#pragma once

#include <cstdint>
#include <string_view>

namespace dragoman {

/// The unsigned number whose least significant byte comes first; at most 8 bytes.
inline std::uint64_t from_little_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;)
    value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

}  // namespace dragoman
