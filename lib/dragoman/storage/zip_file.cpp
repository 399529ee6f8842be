#include "dragoman/storage/zip_file.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/log.h"
#include "dragoman/storage/zip_directory.h"

#include <zlib.h>

#include <algorithm>

namespace dragoman {

ZipFile::ZipFile(const std::filesystem::path& path) : file_(path), place_(path.string()) {
  for (const auto& [name, entry] : zip_entries(file_.bytes(), place_)) {
    if (entry.method != ZipEntry::stored)
      throw FormatError(concat(place_, ": entry '", printable(name, 80),
                               "': is compressed; write the archive without compression"));
    entries_.emplace(name, entry.packed);
    checksums_.emplace(name, entry.crc);
  }
  const bool has_none =
      std::ranges::all_of(checksums_, [](const auto& entry) { return entry.second == 0; });
  if (has_none) checksums_.clear();
}

void ZipFile::expect_checksums() const {
  for (const auto& [name, crc] : checksums_)
    if (checksum_of(entries_.at(name)) != crc)
      throw FormatError(concat(place_, ": entry '", printable(name, 80),
                               "': has another checksum than announced; the archive is damaged, "
                               "get it again"));
}

/// A part at a time, so that a large file is not in memory as a whole.
std::uint32_t ZipFile::checksum_of(std::string_view content) const {
  constexpr std::size_t part = std::size_t{1} << 26;
  std::uint32_t crc = 0;
  for (std::size_t at = 0; at < content.size(); at += part) {
    const auto bytes = content.substr(at, part);
    crc = zip_checksum(bytes, crc);
    if (bytes.size() == part) drop_pages();
  }
  return crc;
}

const std::string_view* ZipFile::find(std::string_view name) const {
  const auto found = entries_.find(name);
  return found == entries_.end() ? nullptr : &found->second;
}

std::uint32_t zip_checksum(std::string_view bytes, std::uint32_t before) {
  const auto* begin = reinterpret_cast<const Bytef*>(bytes.data());
  return static_cast<std::uint32_t>(::crc32_z(before, begin, bytes.size()));
}

}  // namespace dragoman
