#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace dragoman {

/// An entry of a zip archive as it lies there.
struct ZipEntry {
  static constexpr std::uint64_t stored = 0, deflated = 8;  ///< methods

  std::string_view packed;
  std::uint64_t method = stored;
  std::uint64_t size = 0;  ///< unpacked, in bytes, as the archive says
  std::uint32_t crc = 0;   ///< of the unpacked bytes
};

/// The entries of a zip archive by name. Sizes are those of the central directory, with 64 bits
/// where it has them.
/// \param bytes of the archive, which the entries are views of
/// \param place name of the archive for messages
/// \throws FormatError naming the archive, and the entry if one is at fault: encrypted, outside the
///     archive, over another, or of a name that occurs twice.
std::map<std::string, ZipEntry, std::less<>> zip_entries(std::string_view bytes,
                                                         const std::string& place);

}  // namespace dragoman
