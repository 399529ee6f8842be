#pragma once

#include "dragoman/storage/mapped_file.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace dragoman {

/// A zip archive whose entries are stored, not compressed, as torch.save and NumPy write them:
/// mapped, checked, and read in place. Nothing is unpacked, so that no name becomes a path.
class ZipFile {
 public:
  /// \throws DataError if the file cannot be read.
  /// \throws FormatError as zip_entries does; also for a compressed entry.
  explicit ZipFile(const std::filesystem::path& path);

  /// Compares the checksums of all entries, unless every one is 0, as torch.save writes them after
  /// `torch.serialization.set_crc32_options(False)`. Readers do so once they know what the content
  /// means, because they have more to say of what they cannot read.
  /// \throws FormatError naming the entry that is damaged
  void expect_checksums() const;

  /// Contents by name, which live as long as this object.
  const std::map<std::string, std::string_view, std::less<>>& entries() const { return entries_; }

  /// The content of that name, or null.
  const std::string_view* find(std::string_view name) const;

  /// Bytes of the archive.
  std::size_t size() const { return file_.bytes().size(); }

  /// As MappedFile::drop_pages.
  void drop_pages() const { file_.drop_pages(); }

 private:
  std::uint32_t checksum_of(std::string_view content) const;

  MappedFile file_;
  std::string place_;
  std::map<std::string, std::string_view, std::less<>> entries_;
  std::map<std::string, std::uint32_t> checksums_;  ///< as the archive has them; none if all are 0
};

/// Whether a file's first bytes are those of a zip archive.
inline bool is_zip(std::string_view bytes) { return bytes.starts_with("PK\x03\x04"); }

/// The checksum of zip archives (CRC-32). \param before that of the bytes in front of these
std::uint32_t zip_checksum(std::string_view bytes, std::uint32_t before = 0);

}  // namespace dragoman
