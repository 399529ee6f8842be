#include "dragoman/metrics/unicode.h"

#include "dragoman/core/utf8.h"
#include "dragoman/metrics/unicode_tables.h"

#include <algorithm>
#include <iterator>

namespace dragoman::unicode {

namespace {

constexpr char32_t capital_sigma = 0x3A3;
constexpr char32_t small_sigma = 0x3C3;
constexpr char32_t final_sigma = 0x3C2;
constexpr char32_t capital_dotted_i = 0x130;
constexpr char32_t combining_dot_above = 0x307;

char32_t simple_lower(char32_t c) {
  if (c < 0x80) return c >= U'A' && c <= U'Z' ? c + 0x20 : c;
  const auto run = std::ranges::lower_bound(lower_case, c, {}, &LowerCaseRun::last);
  if (run == lower_case.end() || c < run->first || (c - run->first) % run->stride != 0) return c;
  return static_cast<char32_t>(static_cast<std::int64_t>(c) + run->delta);
}

/// Whether the first letter that is not case-ignorable has case.
template <typename Iterator>
bool cased_letter_first(Iterator begin, Iterator end) {
  const auto letter =
      std::find_if(begin, end, [](char32_t c) { return !is_in(case_ignorable, c); });
  return letter != end && is_in(cased, *letter);
}

bool ends_word(std::u32string_view text, std::size_t at) {
  const auto here = text.begin() + static_cast<std::ptrdiff_t>(at);
  return cased_letter_first(std::make_reverse_iterator(here), text.rend()) &&
         !cased_letter_first(here + 1, text.end());
}

}  // namespace

bool is_white_space(char32_t c) {
  if (c < 0x80) return (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x20);
  return c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 ||
         c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

bool is_punctuation(char32_t c) { return is_in(punctuation, c); }
bool is_symbol(char32_t c) { return is_in(symbols, c); }
bool is_number(char32_t c) { return is_in(numbers, c); }

std::u32string to_lower(std::u32string_view text) {
  std::u32string lower;
  lower.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == capital_dotted_i) {
      lower += {U'i', combining_dot_above};
    } else if (text[i] == capital_sigma) {
      lower += ends_word(text, i) ? final_sigma : small_sigma;
    } else {
      lower += simple_lower(text[i]);
    }
  }
  return lower;
}

std::u32string_view strip_right(std::u32string_view text) {
  while (!text.empty() && is_white_space(text.back())) text.remove_suffix(1);
  return text;
}

std::string strip_right_utf8(std::string_view text) {
  const auto decoded = utf8::decode_all(text);
  return utf8::encode_all(strip_right(decoded));
}

std::u32string_view strip(std::u32string_view text) {
  text = strip_right(text);
  while (!text.empty() && is_white_space(text.front())) text.remove_prefix(1);
  return text;
}

std::vector<std::u32string_view> split(std::u32string_view text) {
  std::vector<std::u32string_view> parts;
  for (std::size_t at = 0; at < text.size();) {
    if (is_white_space(text[at])) {
      ++at;
      continue;
    }
    const std::size_t start = at;
    while (at < text.size() && !is_white_space(text[at])) ++at;
    parts.push_back(text.substr(start, at - start));
  }
  return parts;
}

}  // namespace dragoman::unicode
