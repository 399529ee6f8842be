#include "dragoman/storage/zip_directory.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/little_endian.h"
#include "dragoman/core/log.h"

#include <algorithm>
#include <utility>

namespace dragoman {

namespace {

constexpr std::size_t end_record_size = 22, end_locator_size = 20, end_record64_size = 56,
                      central_size = 46, local_size = 30;
constexpr std::size_t longest_comment = 65535;
constexpr std::uint64_t in_extra =
    0xFFFFFFFF;  // a number of 32 bits that stands in the extra field

/// Numbers of a part of the archive, little-endian; nothing is read outside it.
class ZipBytes {
 public:
  ZipBytes(std::string_view bytes, const std::string& place) : bytes_(bytes), place_(place) {}

  std::uint64_t number(std::size_t at, std::size_t size) const {
    return from_little_endian(part(at, size));
  }

  std::string_view part(std::uint64_t at, std::uint64_t size) const {
    if (at > bytes_.size() || size > bytes_.size() - at)
      refuse("ends in the middle of its directory");
    return bytes_.substr(at, size);
  }

  bool has(std::size_t at, std::string_view signature) const {
    return part(at, signature.size()) == signature;
  }

  std::size_t size() const { return bytes_.size(); }

  [[noreturn]] void refuse(std::string_view fact) const {
    throw FormatError(concat(place_, ": ", fact, "; the archive is damaged, get it again"));
  }

 private:
  std::string_view bytes_;
  const std::string& place_;
};

struct Directory {
  std::uint64_t at = 0, size = 0, entries = 0;
};

/// The end record follows everything but the comment.
Directory find_directory(const ZipBytes& zip) {
  if (zip.size() < end_record_size) zip.refuse("is too short for a zip archive");
  const auto last = zip.size() - end_record_size;
  const auto first = last - std::min(last, longest_comment);
  for (auto at = last + 1; at-- > first;) {
    if (!zip.has(at, "PK\x05\x06")) continue;
    if (zip.number(at + 20, 2) != zip.size() - at - end_record_size) continue;
    Directory found{zip.number(at + 16, 4), zip.number(at + 12, 4), zip.number(at + 10, 2)};
    const bool wide = at >= end_locator_size && zip.has(at - end_locator_size, "PK\x06\x07");
    if (!wide) return found;
    const auto record = zip.number(at - end_locator_size + 8, 8);
    if (record > zip.size() - end_record64_size || !zip.has(record, "PK\x06\x06"))
      zip.refuse("has no directory where its end says");
    return {zip.number(record + 48, 8), zip.number(record + 40, 8), zip.number(record + 32, 8)};
  }
  zip.refuse("is not a zip archive, or its end is missing");
}

/// What the directory says of an entry.
struct Listed {
  std::string name;
  std::uint64_t flags = 0, method = 0, crc = 0, packed = 0, size = 0, local = 0, length = 0;
};

/// Replaces numbers that did not fit by those of the zip64 field, which holds only these.
void read_wide_numbers(Listed& entry, const ZipBytes& extra) {
  for (std::size_t at = 0; at + 4 <= extra.size();) {
    const auto size = extra.number(at + 2, 2);
    const auto field = ZipBytes(extra.part(at + 4, size), entry.name);
    if (extra.number(at, 2) == 1) {
      std::size_t next = 0;
      for (auto* value : {&entry.size, &entry.packed, &entry.local})
        if (*value == in_extra) {
          if (next + 8 > field.size()) extra.refuse("lacks a 64-bit number of an entry");
          *value = field.number(next, 8);
          next += 8;
        }
    }
    at += 4 + size;
  }
}

Listed read_listed(const ZipBytes& zip, std::uint64_t at, const std::string& place) {
  if (zip.part(at, central_size).substr(0, 4) != "PK\x01\x02")
    zip.refuse("has a directory that ends too early");
  const auto name = zip.number(at + 28, 2), extra = zip.number(at + 30, 2);
  Listed entry;
  entry.name = zip.part(at + central_size, name);
  entry.flags = zip.number(at + 8, 2);
  entry.method = zip.number(at + 10, 2);
  entry.crc = zip.number(at + 16, 4);
  entry.packed = zip.number(at + 20, 4);
  entry.size = zip.number(at + 24, 4);
  entry.local = zip.number(at + 42, 4);
  entry.length = central_size + name + extra + zip.number(at + 32, 2);
  read_wide_numbers(entry, ZipBytes(zip.part(at + central_size + name, extra), place));
  return entry;
}

/// Where an entry lies: its local header and its content.
struct Extent {
  std::uint64_t begin = 0, content = 0, end = 0;
  std::string_view name;
};

Extent extent_of(const Listed& entry, const ZipBytes& zip, const std::string& place) {
  const auto refuse = [&](std::string_view fact) {
    throw FormatError(concat(place, ": entry '", printable(entry.name, 80), "': ", fact));
  };
  if ((entry.flags & 1U) != 0) refuse("is encrypted; decrypt it first");
  if (entry.method == ZipEntry::stored && entry.packed != entry.size)
    refuse("has two sizes; the archive is damaged, get it again");
  const auto local = zip.part(entry.local, local_size);
  if (local.substr(0, 4) != "PK\x03\x04")
    refuse("has no header where the directory says; the archive is damaged, get it again");
  const auto name = zip.number(entry.local + 26, 2), extra = zip.number(entry.local + 28, 2);
  if (zip.part(entry.local + local_size, name) != entry.name)
    refuse("has another name in its header; the archive is damaged, get it again");
  const auto content = entry.local + local_size + name + extra;
  zip.part(content, entry.packed);
  return {entry.local, content, content + entry.packed, entry.name};
}

void expect_apart(std::vector<Extent> extents, const std::string& place) {
  std::ranges::sort(extents, {}, &Extent::begin);
  for (std::size_t i = 1; i < extents.size(); ++i)
    if (extents[i].begin < extents[i - 1].end)
      throw FormatError(concat(place, ": entry '", printable(extents[i].name, 80), "': overlaps '",
                               printable(extents[i - 1].name, 80),
                               "'; the archive is damaged, get it again"));
}

}  // namespace

std::map<std::string, ZipEntry, std::less<>> zip_entries(std::string_view bytes,
                                                         const std::string& place) {
  const ZipBytes zip(bytes, place);
  const auto directory = find_directory(zip);
  const ZipBytes listing(zip.part(directory.at, directory.size), place);
  if (directory.entries > listing.size() / central_size)
    zip.refuse("announces more entries than its directory can hold");
  std::map<std::string, ZipEntry, std::less<>> entries;
  std::vector<Extent> extents;
  std::uint64_t at = 0;
  for (std::uint64_t i = 0; i < directory.entries; ++i) {
    const auto listed = read_listed(listing, at, place);
    at += listed.length;
    auto extent = extent_of(listed, zip, place);
    const auto [kept, is_new] =
        entries.emplace(listed.name, ZipEntry{.packed = zip.part(extent.content, listed.packed),
                                              .method = listed.method,
                                              .size = listed.size,
                                              .crc = static_cast<std::uint32_t>(listed.crc)});
    if (!is_new)
      throw FormatError(concat(place, ": has the entry '", printable(listed.name, 80),
                               "' twice; the archive is damaged, get it again"));
    extent.name = kept->first;
    extents.push_back(extent);
  }
  if (at != listing.size()) zip.refuse("has a directory of another size than announced");
  expect_apart(std::move(extents), place);
  return entries;
}

}  // namespace dragoman
