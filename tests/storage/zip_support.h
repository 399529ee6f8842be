#pragma once

#include <zlib.h>

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
  bool deflate = false;         ///< compressed, whatever the method says
  std::uint32_t other_crc = 0;  ///< added to its checksum
  bool wide = false;            ///< sizes and offset in the zip64 field
  std::int64_t shift = 0;       ///< added to the place of its header in the directory
  std::int64_t more = 0;        ///< added to its size in the directory
};

/// Without header and checksum, as it lies in a zip archive.
inline std::string deflated(const std::string& content) {
  z_stream stream = {};
  deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, content.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

/// A zip archive.
inline std::string zip_of(const std::vector<ZipEntry>& entries, std::string_view comment = "") {
  std::string bytes, directory;
  for (const auto& entry : entries) {
    const auto at =
        static_cast<std::uint64_t>(static_cast<std::int64_t>(bytes.size()) + entry.shift);
    const auto packed = entry.deflate ? deflated(entry.content) : entry.content;
    const auto size =
        static_cast<std::uint64_t>(static_cast<std::int64_t>(entry.content.size()) + entry.more);
    const auto packed_size = entry.deflate ? packed.size() : size;
    const auto crc = crc32(0, reinterpret_cast<const Bytef*>(entry.content.data()),
                           static_cast<uInt>(entry.content.size())) +
                     entry.other_crc;
    const auto common = little(20, 2) + little(entry.flags, 2) + little(entry.method, 2) +
                        little(0, 4) + little(crc, 4);
    bytes += "PK\x03\x04" + common + little(packed.size(), 4) + little(entry.content.size(), 4) +
             little(entry.name.size(), 2) + little(0, 2) + entry.name + packed;
    const auto extra = entry.wide ? little(1, 2) + little(24, 2) + little(size, 8) +
                                        little(packed_size, 8) + little(at, 8)
                                  : std::string();
    directory += "PK\x01\x02" + little(20, 2) + common +
                 little(entry.wide ? 0xFFFFFFFF : packed_size, 4) +
                 little(entry.wide ? 0xFFFFFFFF : size, 4) + little(entry.name.size(), 2) +
                 little(extra.size(), 2) + little(0, 2) + little(0, 2) + little(0, 2) +
                 little(0, 4) + little(entry.wide ? 0xFFFFFFFF : at, 4) + entry.name + extra;
  }
  const auto begin = bytes.size();
  return bytes + directory + "PK\x05\x06" + little(0, 4) + little(entries.size(), 2) +
         little(entries.size(), 2) + little(directory.size(), 4) + little(begin, 4) +
         little(comment.size(), 2) + std::string(comment);
}

}  // namespace test
