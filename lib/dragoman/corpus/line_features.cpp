#include "dragoman/corpus/line_features.h"

#include "dragoman/core/utf8.h"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace dragoman {

namespace {

constexpr std::uint64_t hash_start = 0xCBF29CE484222325ULL, hash_factor = 0x100000001B3ULL;

bool is_ascii_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_ascii_digit(c) ||
         static_cast<unsigned char>(c) >= 0x80;
}

std::uint64_t bit_of(std::string_view word) {
  std::uint64_t hash = hash_start;
  for (const char c : word) hash = (hash ^ static_cast<unsigned char>(c)) * hash_factor;
  return std::uint64_t{1} << (hash >> 58);
}

/// Runs of characters of one kind, one bit for each of at least `least` bytes.
template <typename Belongs>
std::uint64_t bits_of_runs(std::string_view line, std::size_t least, const Belongs& belongs) {
  std::uint64_t bits = 0;
  for (std::size_t begin = 0; begin < line.size();) {
    auto end = begin;
    while (end < line.size() && belongs(line[end])) ++end;
    if (end - begin >= least) bits |= bit_of(line.substr(begin, end - begin));
    begin = end + 1;
  }
  return bits;
}

/// Words of four bytes or more, shorter ones that begin with a capital, and numbers.
std::uint64_t telling_words(std::string_view line) {
  std::uint64_t bits = bits_of_runs(line, 1, is_ascii_digit) | bits_of_runs(line, 4, is_word);
  for (std::size_t i = 0; i + 1 < line.size(); ++i) {
    const bool begins = line[i] >= 'A' && line[i] <= 'Z' && (i == 0 || !is_word(line[i - 1]));
    if (!begins) continue;
    auto end = i;
    while (end < line.size() && is_word(line[end])) ++end;
    if (end - i >= 2 && end - i < 4) bits |= bit_of(line.substr(i, end - i));
  }
  return bits;
}

}  // namespace

LineFeatures line_features(std::string_view line) {
  constexpr std::int64_t most = std::numeric_limits<std::uint16_t>::max();
  return {.words = telling_words(line),
          .characters = static_cast<std::uint16_t>(std::min(utf8::count(line), most))};
}

}  // namespace dragoman
