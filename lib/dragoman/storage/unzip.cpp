#include "dragoman/storage/unzip.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/descriptor.h"
#include "dragoman/core/error.h"
#include "dragoman/core/log.h"
#include "dragoman/storage/mapped_file.h"
#include "dragoman/storage/zip_directory.h"
#include "dragoman/storage/zip_file.h"

#include <fcntl.h>
#include <zlib.h>

#include <algorithm>
#include <vector>

namespace dragoman {

namespace {

/// Deflate may reach 1032:1. Weights reach about 2:1 and text about 20:1; small models that repeat
/// themselves may reach more.
constexpr std::uint64_t largest_ratio = 100, small_model = std::uint64_t{1} << 24;

/// An entry's bytes, a part at a time.
class Inflater {
 public:
  explicit Inflater(std::string_view packed) : packed_(packed) {
    constexpr int without_header = -MAX_WBITS;
    if (::inflateInit2(&stream_, without_header) != Z_OK)
      throw DataError("no memory for decompression");
  }
  ~Inflater() { ::inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  /// \return the next bytes, none at the end or where the data is damaged
  std::string_view next() {
    if (ended_) return {};
    stream_.next_out = reinterpret_cast<Bytef*>(buffer_.data());
    stream_.avail_out = static_cast<uInt>(buffer_.size());
    while (stream_.avail_out > 0 && !ended_) {
      if (stream_.avail_in == 0) feed();
      ended_ = ::inflate(&stream_, Z_NO_FLUSH) != Z_OK;
    }
    return {buffer_.data(), buffer_.size() - stream_.avail_out};
  }

 private:
  void feed() {
    constexpr std::size_t most = 1 << 30;
    const auto part = packed_.substr(0, most);
    packed_.remove_prefix(part.size());
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(part.data()));
    stream_.avail_in = static_cast<uInt>(part.size());
  }

  std::string_view packed_;
  z_stream stream_ = {};
  std::vector<char> buffer_ = std::vector<char>(1 << 16);
  bool ended_ = false;
};

class Unzip {
 public:
  Unzip(const std::filesystem::path& archive, const std::filesystem::path& folder)
      : place_(archive.string()), folder_(folder) {}

  void run(std::map<std::string, ZipEntry, std::less<>> entries) const {
    std::erase_if(entries, [](const auto& entry) { return entry.first.starts_with("__MACOSX/"); });
    const auto common = common_folder(entries);
    std::uint64_t size = 0, packed = 0;
    for (const auto& [name, entry] : entries) {
      const auto file = name.substr(common.size());
      if (file.empty() || file.find('/') != file.npos) continue;
      if (file == "." || file == ".." ||
          file.find_first_of(std::string_view("\0\\", 2)) != file.npos)
        refuse(name, "is not the name of a file; unpack the archive by hand");
      packed += entry.packed.size();
      const bool overflows = __builtin_add_overflow(size, entry.size, &size);
      if (overflows || (size > small_model && size / largest_ratio > packed))
        refuse(name, concat("with those before it would become ",
                            overflows ? "2^64 or more" : std::to_string(size), " bytes out of ",
                            packed, ", as no model does; unpack the archive by hand"));
      write(name, entry, folder_ / file);
    }
  }

 private:
  /// With its slash; empty unless all entries lie in one.
  static std::string common_folder(const std::map<std::string, ZipEntry, std::less<>>& entries) {
    if (entries.empty()) return "";
    const auto& first = entries.begin()->first;
    const auto folder = first.substr(0, first.find('/') + 1);
    const bool of_all = std::ranges::all_of(
        entries, [&](const auto& entry) { return entry.first.starts_with(folder); });
    return of_all ? folder : "";
  }

  void write(const std::string& name, const ZipEntry& entry,
             const std::filesystem::path& file) const {
    if (entry.method != ZipEntry::stored && entry.method != ZipEntry::deflated)
      refuse(name, "is compressed in another way than deflate; unpack the archive by hand");
    Descriptor output(file, O_WRONLY | O_CREAT | O_EXCL);
    std::uint64_t size = 0;
    std::uint32_t crc = 0;
    const auto append = [&](std::string_view bytes) {
      size += bytes.size();
      if (size > entry.size) refuse(name, "is larger than announced" + damaged);
      crc = zip_checksum(bytes, crc);
      output.write(bytes);
    };
    if (entry.method == ZipEntry::stored) {
      append(entry.packed);
    } else {
      Inflater inflater(entry.packed);
      for (auto bytes = inflater.next(); !bytes.empty(); bytes = inflater.next()) append(bytes);
    }
    if (size != entry.size) refuse(name, "is smaller than announced" + damaged);
    if (crc != entry.crc) refuse(name, "has another checksum than announced" + damaged);
    output.close();
  }

  [[noreturn]] void refuse(const std::string& name, const std::string& fact) const {
    throw FormatError(concat(place_, ": entry '", printable(name, 80), "': ", fact));
  }

  inline static const std::string damaged = "; the archive is damaged, get it again";
  std::string place_;
  std::filesystem::path folder_;
};

}  // namespace

void unzip(const std::filesystem::path& archive, const std::filesystem::path& folder) {
  const MappedFile file(archive);
  Unzip(archive, folder).run(zip_entries(file.bytes(), archive.string()));
}

}  // namespace dragoman
