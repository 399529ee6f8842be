#include "dragoman/text/sentences.h"

#include "dragoman/core/utf8.h"
#include "dragoman/text/characters.h"

#include <algorithm>

namespace dragoman {

namespace {

// The Latin ones, and those of Armenian, Arabic and Urdu, Devanagari and Ethiopic.
constexpr std::u32string_view sentence_ends =
    U".!?\u2026\u0589\u061F\u06D4\u0964\u0965\u1362\u1367\u1368";
constexpr std::u32string_view wide_ends = U"\u3002\uFF01\uFF0E\uFF1F\uFF61";
constexpr std::u32string_view closing =
    U"\"'\u2019\u201C\u201D\u00BB\u00AB\u203A\u2039)]}\u300D\u300F\uFF09";

bool is_one_of(char32_t c, std::u32string_view set) { return set.find(c) != set.npos; }

bool is_digit(char32_t c) {
  return (c >= U'0' && c <= U'9') || (c >= 0xFF10 && c <= 0xFF19);  // full-width ones, too
}

constexpr char32_t wide_stop = 0xFF0E;

/// Where capitals and small letters alternate, and which of a pair is the small one.
struct AlternatingCase {
  char32_t first, last;
  char32_t small;  ///< its number modulo 2
};
constexpr AlternatingCase alternating[] = {
    {0x0100, 0x0137, 1}, {0x0139, 0x0148, 0}, {0x014A, 0x0177, 1}, {0x0179, 0x017E, 0},
    {0x01CD, 0x01DC, 0}, {0x01DE, 0x01EF, 1}, {0x01F8, 0x021F, 1}, {0x0460, 0x0481, 1},
    {0x048A, 0x04BF, 1}, {0x04C1, 0x04CE, 0}, {0x04D0, 0x052F, 1}, {0x1E00, 0x1E95, 1},
    {0x1EA0, 0x1EFF, 1}};

/// Of Latin, Greek and Cyrillic.
bool is_lower(char32_t c) {
  for (const auto& [first, last, small] : alternating)
    if (c >= first && c <= last) return c % 2 == small;
  return (c >= U'a' && c <= U'z') || (c >= 0xDF && c <= 0xFF && c != 0xF7) || c == 0x138 ||
         c == 0x149 || c == 0x17F || (c >= 0x3AC && c <= 0x3CE) || (c >= 0x430 && c <= 0x45F);
}

/// Whether the word before the full stop at `stop` is one letter or a number of one or two digits,
/// as in "J. Smith" and "3. May".
bool is_short_word(std::u32string_view text, std::size_t stop) {
  auto begin = stop;
  while (begin > 0 && !is_space(text[begin - 1]) && !is_one_of(text[begin - 1], closing)) --begin;
  const auto word = text.substr(begin, stop - begin);
  if (word.size() == 1) return true;
  return word.size() == 2 && is_digit(word[0]) && is_digit(word[1]);
}

/// The first character from `begin` on that is no blank; npos = none.
std::size_t find_text(std::u32string_view text, std::size_t begin) {
  const auto found =
      std::find_if_not(text.begin() + static_cast<std::ptrdiff_t>(begin), text.end(), is_space);
  return found == text.end() ? text.npos : static_cast<std::size_t>(found - text.begin());
}

/// Where the sentence that starts at `begin` ends.
std::size_t sentence_end(std::u32string_view text, std::size_t begin) {
  for (auto at = begin; at < text.size(); ++at) {
    const bool wide = is_one_of(text[at], wide_ends);
    if (!wide && !is_one_of(text[at], sentence_ends)) continue;
    const auto first = at;
    while (at + 1 < text.size() &&
           (is_one_of(text[at + 1], sentence_ends) || is_one_of(text[at + 1], wide_ends)))
      ++at;
    const bool lone_stop = at == first && text[at] == U'.';
    while (at + 1 < text.size() && is_one_of(text[at + 1], closing)) ++at;
    const bool is_decimal =
        text[first] == wide_stop && first + 1 < text.size() && is_digit(text[first + 1]);
    if (wide && !is_decimal) return at + 1;
    const auto next = find_text(text, at + 1);
    const bool blank_follows = next > at + 1;
    if (next == text.npos) return text.size();
    if (blank_follows && !is_lower(text[next]) && !(lone_stop && is_short_word(text, first)))
      return at + 1;
  }
  return text.size();
}

}  // namespace

std::vector<std::string> split_sentences(std::string_view line) {
  const auto text = utf8::decode_all(line);
  std::vector<std::string> sentences;
  auto begin = find_text(text, 0);
  while (begin != text.npos) {
    const auto next = sentence_end(text, begin);
    auto end = next;
    while (is_space(text[end - 1])) --end;
    sentences.push_back(utf8::encode_all(std::u32string_view(text).substr(begin, end - begin)));
    begin = find_text(text, next);
  }
  return sentences;
}

std::string_view between_sentences(std::string_view before, std::string_view after) {
  if (before.empty() || after.empty()) return "";
  auto last = before.size() - 1;
  while (last > 0 && utf8::is_continuation(before[last])) --last;
  const bool both_wide =
      is_wide(utf8::decode(before, last).code_point) && is_wide(utf8::decode(after, 0).code_point);
  return both_wide ? "" : " ";
}

}  // namespace dragoman
