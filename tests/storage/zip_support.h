#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace test {

/// `value` in `size` bytes, little-endian.
inline std::string little(std::uint64_t value, int size) {
  std::string bytes;
  for (int i = 0; i < size; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xFF);
  return bytes;
}

/// Entries of an archive to write, and what to say falsely of them.
struct ZipEntry {
  std::string name, content;
  std::uint16_t flags = 0, method = 0;
  bool wide = false;       ///< sizes and offset in the zip64 field
  std::int64_t shift = 0;  ///< added to the place of its header in the directory
  std::int64_t more = 0;   ///< added to its size in the directory
};

/// A zip archive without compression. Its checksums are 0: nothing reads them.
inline std::string zip_of(const std::vector<ZipEntry>& entries, std::string_view comment = "") {
  std::string bytes, directory;
  for (const auto& entry : entries) {
    const auto at =
        static_cast<std::uint64_t>(static_cast<std::int64_t>(bytes.size()) + entry.shift);
    const auto size =
        static_cast<std::uint64_t>(static_cast<std::int64_t>(entry.content.size()) + entry.more);
    const auto common = little(20, 2) + little(entry.flags, 2) + little(entry.method, 2) +
                        little(0, 4) + little(0, 4);
    bytes += "PK\x03\x04" + common + little(entry.content.size(), 4) +
             little(entry.content.size(), 4) + little(entry.name.size(), 2) + little(0, 2) +
             entry.name + entry.content;
    const auto extra = entry.wide ? little(1, 2) + little(24, 2) + little(size, 8) +
                                        little(size, 8) + little(at, 8)
                                  : std::string();
    const auto shown = entry.wide ? 0xFFFFFFFF : size;
    directory += "PK\x01\x02" + little(20, 2) + common + little(shown, 4) + little(shown, 4) +
                 little(entry.name.size(), 2) + little(extra.size(), 2) + little(0, 2) +
                 little(0, 2) + little(0, 2) + little(0, 4) +
                 little(entry.wide ? 0xFFFFFFFF : at, 4) + entry.name + extra;
  }
  const auto begin = bytes.size();
  return bytes + directory + "PK\x05\x06" + little(0, 4) + little(entries.size(), 2) +
         little(entries.size(), 2) + little(directory.size(), 4) + little(begin, 4) +
         little(comment.size(), 2) + std::string(comment);
}

}  // namespace test
