#include "dragoman/core/utf8.h"

#include "dragoman/core/concat.h"

#include <algorithm>
#include <cstdio>

namespace dragoman::utf8 {

namespace {

constexpr char32_t replacement = 0xFFFD;

}  // namespace

Decoded decode(std::string_view text, std::size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  if (lead < 0x80) return {lead, 1};
  std::size_t length = 0;
  char32_t code_point = 0;
  char32_t smallest = 0;
  if ((lead & 0xE0) == 0xC0) {
    length = 2, code_point = lead & 0x1F, smallest = 0x80;
  } else if ((lead & 0xF0) == 0xE0) {
    length = 3, code_point = lead & 0x0F, smallest = 0x800;
  } else if ((lead & 0xF8) == 0xF0) {
    length = 4, code_point = lead & 0x07, smallest = 0x10000;
  } else {
    return {invalid, 1};
  }
  for (std::size_t i = 1; i < length; ++i) {
    if (at + i >= text.size() || !is_continuation(text[at + i])) return {invalid, 1};
    code_point = (code_point << 6) | (static_cast<unsigned char>(text[at + i]) & 0x3F);
  }
  const bool surrogate = code_point >= 0xD800 && code_point <= 0xDFFF;
  if (code_point < smallest || surrogate || code_point > 0x10FFFF) return {invalid, 1};
  return {code_point, length};
}

std::string_view front(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  while (bytes > 0 && is_continuation(text[bytes])) --bytes;
  return text.substr(0, bytes);
}

std::optional<std::size_t> find_invalid(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const auto decoded = decode(text, at);
    if (decoded.code_point == invalid) return at;
    at += decoded.length;
  }
  return std::nullopt;
}

std::string replace_invalid(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const auto decoded = decode(text, at);
    if (decoded.code_point == invalid) {
      append(out, replacement);
    } else {
      out += text.substr(at, decoded.length);
    }
    at += decoded.length;
  }
  return out;
}

std::int64_t count(std::string_view text) {
  return std::ranges::count_if(text, [](char c) { return !is_continuation(c); });
}

void append(std::string& text, char32_t c) {
  const auto byte = [&text](char32_t bits) { text += static_cast<char>(bits); };
  if (c < 0x80) {
    byte(c);
  } else if (c < 0x800) {
    byte(0xC0 | (c >> 6)), byte(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    byte(0xE0 | (c >> 12)), byte(0x80 | ((c >> 6) & 0x3F)), byte(0x80 | (c & 0x3F));
  } else {
    byte(0xF0 | (c >> 18)), byte(0x80 | ((c >> 12) & 0x3F));
    byte(0x80 | ((c >> 6) & 0x3F)), byte(0x80 | (c & 0x3F));
  }
}

std::u32string decode_all(std::string_view text) {
  std::u32string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const auto decoded = decode(text, at);
    out += decoded.code_point == invalid ? replacement : decoded.code_point;
    at += decoded.length;
  }
  return out;
}

std::string encode_all(std::u32string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char32_t c : text) append(out, c);
  return out;
}

std::string code_point_name(char32_t character) {
  char text[16];
  std::snprintf(text, sizeof text, "U+%04X", static_cast<unsigned>(character));
  return text;
}

std::string quoted_character(char32_t character) {
  return concat(code_point_name(character), " '", encode_all({&character, 1}), "'");
}

}  // namespace dragoman::utf8
