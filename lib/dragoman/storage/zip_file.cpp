#include "dragoman/storage/zip_file.h"

#include "dragoman/core/error.h"
#include "dragoman/core/log.h"
#include "dragoman/storage/zip_directory.h"

namespace dragoman {

ZipFile::ZipFile(const std::filesystem::path& path) : file_(path) {
  for (const auto& [name, entry] : zip_entries(file_.bytes(), path.string())) {
    if (entry.method != ZipEntry::stored)
      throw FormatError(concat(path.string(), ": entry '", printable(name, 80),
                               "': is compressed; write the archive without compression"));
    entries_.emplace(name, entry.packed);
  }
}

const std::string_view* ZipFile::find(std::string_view name) const {
  const auto found = entries_.find(name);
  return found == entries_.end() ? nullptr : &found->second;
}

}  // namespace dragoman
