#include "dragoman/metrics/rewriting.h"

namespace dragoman::rewriting {

namespace {

bool is_digit(char32_t c) { return c >= U'0' && c <= U'9'; }

bool is_stop_or_comma(char32_t c) { return c == U'.' || c == U','; }

bool is_western_mark(char32_t c) {
  return (c >= 0x20 && c <= 0x26) || (c >= 0x28 && c <= 0x2B) || c == 0x2F ||
         (c >= 0x3A && c <= 0x40) || (c >= 0x5B && c <= 0x60) || (c >= 0x7B && c <= 0x7E);
}

}  // namespace

std::u32string replace_all(std::u32string_view text, std::u32string_view from,
                           std::u32string_view to) {
  std::u32string out;
  out.reserve(text.size());
  for (;;) {
    const auto at = text.find(from);
    out += text.substr(0, at);
    if (at == std::u32string_view::npos) return out;
    out += to;
    text.remove_prefix(at + from.size());
  }
}

std::u32string unescape(std::u32string_view text) {
  std::u32string out(text);
  if (out.find(U'&') == std::u32string::npos) return out;
  out = replace_all(out, U"&quot;", U"\"");
  out = replace_all(out, U"&amp;", U"&");
  out = replace_all(out, U"&lt;", U"<");
  return replace_all(out, U"&gt;", U">");
}

std::u32string pad(std::u32string_view text) {
  std::u32string out(1, U' ');
  out += text;
  out += U' ';
  return out;
}

std::u32string set_off_western_marks(std::u32string_view text) {
  return set_off(text, is_western_mark);
}

std::u32string set_off_beside_digits(std::u32string_view text) {
  auto out = set_off_in_pair(text, Side::second, [](char32_t first, char32_t second) {
    return !is_digit(first) && is_stop_or_comma(second);
  });
  out = set_off_in_pair(out, Side::first, [](char32_t first, char32_t second) {
    return is_stop_or_comma(first) && !is_digit(second);
  });
  return set_off_in_pair(out, Side::second, [](char32_t first, char32_t second) {
    return is_digit(first) && second == U'-';
  });
}

}  // namespace dragoman::rewriting
