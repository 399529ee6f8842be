#pragma once

#include "dragoman/core/descriptor.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace dragoman {

/// SHA-256 (FIPS 180-4) of bytes given piece by piece.
class Sha256 {
 public:
  Sha256();

  void update(std::string_view bytes);

  /// The digest of all bytes so far as 64 lower-case hexadecimal digits. Ends the object's use.
  std::string hex_digest();

 private:
  std::array<std::uint32_t, 8> state_;
  std::array<unsigned char, 64> block_{};  ///< bytes that do not fill a block yet
  std::uint64_t length_ = 0;               ///< bytes so far
};

/// The digest of one text.
std::string sha256_hex(std::string_view bytes);

/// The digest of the rest of a file, by read(2): in a mapped file, a bad sector or a shrinking file
/// would be SIGBUS, not an error. \throws DataError
std::string sha256_hex(const Descriptor& file);

}  // namespace dragoman
