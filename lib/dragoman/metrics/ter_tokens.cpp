#include "dragoman/metrics/ter_tokens.h"

#include "dragoman/core/utf8.h"
#include "dragoman/metrics/rewriting.h"
#include "dragoman/metrics/unicode.h"

namespace dragoman {

namespace {

using rewriting::replace_all;

bool within(char32_t c, char32_t first, char32_t last) { return c >= first && c <= last; }

bool is_asian_mark(char32_t c) {
  return c == 0x3001 || c == 0x3002 || within(c, 0x3008, 0x3011) || within(c, 0x3014, 0x301F) ||
         within(c, 0xFF61, 0xFF65) || c == 0x30FB;
}

bool is_full_width_mark(char32_t c) {
  return c == 0xFF0E || c == 0xFF0C || c == 0xFF1F || c == 0xFF1A || c == 0xFF1B || c == 0xFF01 ||
         c == 0xFF02 || c == 0xFF08 || c == 0xFF09;
}

std::u32string normalize_western(std::u32string_view line) {
  auto text = replace_all(line, U"\n-", U"");
  text = replace_all(text, U"\n", U" ");
  text = rewriting::pad(rewriting::unescape(text));
  text = replace_all(rewriting::set_off_western_marks(text), U"'s ", U" 's ");
  return rewriting::set_off_beside_digits(text);
}

/// Ideographs, strokes, radicals and marks. 0x3F22 is used in sacreBLEU's source instead of 0x32FF.
bool is_asian(char32_t c) {
  return within(c, 0x2E80, 0x2EFF) || within(c, 0x31C0, 0x31EF) || within(c, 0x3200, 0x4DBF) ||
         within(c, 0x4E00, 0x9FFF) || within(c, 0xF900, 0xFAFF) || within(c, 0xFE30, 0xFE4F) ||
         is_asian_mark(c) || is_full_width_mark(c);
}

std::u32string without_punctuation(std::u32string_view text, bool asian) {
  constexpr std::u32string_view western_marks = U".,?:;!\"()";
  std::u32string out;
  for (const char32_t c : text) {
    const bool mark = western_marks.find(c) != std::u32string_view::npos ||
                      (asian && (is_asian_mark(c) || is_full_width_mark(c)));
    if (!mark) out += c;
  }
  return out;
}

}  // namespace

std::vector<std::u32string> ter_tokens(std::string_view line, const TerOptions& options) {
  const auto decoded = utf8::decode_all(line);
  std::u32string text(unicode::strip_right(decoded));
  if (!options.case_sensitive) text = unicode::to_lower(text);
  if (options.normalized) {
    text = normalize_western(text);
    if (options.asian_support) text = rewriting::set_off(text, is_asian);
  }
  if (options.no_punctuation) text = without_punctuation(text, options.asian_support);
  const auto tokens = unicode::split(text);
  return {tokens.begin(), tokens.end()};
}

}  // namespace dragoman
