#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace test {

/// Damages files at random, the same from the same seed: bits, ends, lengths and numbers.
class Mutations {
 public:
  /// \param interesting parts of the file, [begin, end), that two in three changes fall into
  Mutations(std::string original, std::vector<std::pair<std::size_t, std::size_t>> interesting,
            std::uint32_t seed)
      : original_(std::move(original)), interesting_(std::move(interesting)), random_(seed) {}

  std::string next() {
    auto bytes = original_;
    for (auto changes = 1 + below(3); changes > 0 && !bytes.empty(); --changes) change(bytes);
    return bytes;
  }

 private:
  std::size_t below(std::size_t size) { return size == 0 ? 0 : random_() % size; }

  std::size_t place(const std::string& bytes) {
    if (interesting_.empty() || below(3) == 0) return below(bytes.size());
    const auto [begin, end] = interesting_[below(interesting_.size())];
    return std::min(begin + below(end - begin), bytes.size() - 1);
  }

  void change(std::string& bytes) {
    const auto at = place(bytes);
    switch (below(7)) {
      case 0: bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8))); return;
      case 1: bytes.resize(at); return;
      case 2: bytes[at] = static_cast<char>(below(256)); return;
      case 3: bytes.erase(at, 1 + below(16)); return;
      case 4: bytes.insert(at, bytes.substr(place(bytes), 1 + below(64))); return;
      case 5: write_number(bytes, at); return;
      default: write_digits(bytes, at); return;
    }
  }

  /// A binary length or count that is huge, negative or just another.
  void write_number(std::string& bytes, std::size_t at) {
    static const std::vector<std::uint64_t> numbers = {0,
                                                       1,
                                                       0x7F,
                                                       0xFF,
                                                       0x7FFF,
                                                       0xFFFF,
                                                       0x10000,
                                                       0x7FFFFFFF,
                                                       0x80000000,
                                                       0xFFFFFFFF,
                                                       0x100000000,
                                                       0x7FFFFFFFFFFFFFFF,
                                                       0x8000000000000000,
                                                       0xFFFFFFFFFFFFFFFF,
                                                       0xFFFFFFFFFFFFFFF8};
    const auto number = numbers[below(numbers.size())];
    const std::size_t size = std::size_t{1} << below(4);
    for (std::size_t i = 0; i < size && at + i < bytes.size(); ++i)
      bytes[at + i] = static_cast<char>(number >> 8 * i & 0xFF);
  }

  /// The same of a number in text, if one follows.
  void write_digits(std::string& bytes, std::size_t at) {
    static const std::vector<std::string> numbers = {
        "-1",          "0",     "99999999999", "18446744073709551615", "9223372036854775808",
        "-2147483649", "1e308", "NaN",         "4294967296",           "1.5",
        "null"};
    constexpr auto digits = "0123456789";
    const auto begin = bytes.find_first_of(digits, at);
    if (begin == std::string::npos) return write_number(bytes, at);
    const auto end = std::min(bytes.find_first_not_of(digits, begin), bytes.size());
    bytes.replace(begin, end - begin, numbers[below(numbers.size())]);
  }

  std::string original_;
  std::vector<std::pair<std::size_t, std::size_t>> interesting_;
  std::mt19937 random_;
};

}  // namespace test
