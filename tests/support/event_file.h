#pragma once

#include "dragoman/core/file.h"
#include "dragoman/report/crc32c.h"
#include "support/catch.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace test {

inline std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t number = 0;
  for (std::size_t i = bytes.size(); i-- > 0;)
    number = number << 8 | static_cast<unsigned char>(bytes[i]);
  return number;
}

/// The fields of a protocol buffer message: numbers as numbers, texts and messages as bytes.
struct Fields {
  std::multimap<std::uint64_t, std::uint64_t> numbers;
  std::multimap<std::uint64_t, std::string> texts;

  explicit Fields(std::string_view bytes) {
    while (!bytes.empty()) {
      const auto key = varint(bytes);
      if (key % 8 == 0) numbers.emplace(key / 8, varint(bytes));
      if (key % 8 == 1) numbers.emplace(key / 8, little_endian(take(bytes, 8)));
      if (key % 8 == 2) texts.emplace(key / 8, take(bytes, varint(bytes)));
      if (key % 8 == 5) numbers.emplace(key / 8, little_endian(take(bytes, 4)));
    }
  }

  std::uint64_t number(std::uint64_t field) const { return numbers.find(field)->second; }
  std::string text(std::uint64_t field) const { return texts.find(field)->second; }

 private:
  static std::string take(std::string_view& bytes, std::size_t count) {
    REQUIRE(count <= bytes.size());
    const std::string taken(bytes.substr(0, count));
    bytes.remove_prefix(count);
    return taken;
  }
  static std::uint64_t varint(std::string_view& bytes) {
    std::uint64_t number = 0;
    for (int shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned char>(take(bytes, 1)[0]);
      number |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) return number;
    }
  }
};

/// The events of a TensorBoard file; each record's checksums are checked.
inline std::vector<Fields> events_of(const std::filesystem::path& path) {
  const auto content = dragoman::read_file(path);
  std::vector<Fields> found;
  for (std::string_view rest = content; !rest.empty();) {
    REQUIRE(rest.size() >= 16);
    const auto length = little_endian(rest.substr(0, 8));
    CHECK(little_endian(rest.substr(8, 4)) == dragoman::masked_crc32c(rest.substr(0, 8)));
    const auto data = rest.substr(12, length);
    CHECK(little_endian(rest.substr(12 + length, 4)) == dragoman::masked_crc32c(data));
    found.emplace_back(data);
    rest.remove_prefix(16 + length);
  }
  return found;
}

/// The steps of each tag in all event files of a folder, in the order of the files.
inline std::map<std::string, std::vector<std::uint64_t>> steps_by_tag(
    const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::map<std::string, std::vector<std::uint64_t>> steps;
  for (const auto& file : files) {
    for (const auto& event : events_of(file)) {
      if (event.texts.count(5) == 0) continue;
      const Fields summary(event.text(5));
      for (auto [value, end] = summary.texts.equal_range(1); value != end; ++value)
        steps[Fields(value->second).text(1)].push_back(event.numbers.count(2) > 0 ? event.number(2)
                                                                                  : 0);
    }
  }
  return steps;
}

}  // namespace test
