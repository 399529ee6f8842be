#include "dragoman/core/display_width.h"

#include "dragoman/core/code_points.h"
#include "dragoman/core/utf8.h"

#include <array>

namespace dragoman {

namespace {

// Marks and format characters of the scripts that terminals compose; Unicode 15.
constexpr std::array no_width = {CodePointRange{0x0300, 0x036F}, CodePointRange{0x0483, 0x0489},
                                 CodePointRange{0x0591, 0x05BD}, CodePointRange{0x05BF, 0x05BF},
                                 CodePointRange{0x05C1, 0x05C2}, CodePointRange{0x05C4, 0x05C5},
                                 CodePointRange{0x05C7, 0x05C7}, CodePointRange{0x0610, 0x061A},
                                 CodePointRange{0x064B, 0x065F}, CodePointRange{0x0670, 0x0670},
                                 CodePointRange{0x06D6, 0x06DC}, CodePointRange{0x06DF, 0x06E4},
                                 CodePointRange{0x06E7, 0x06E8}, CodePointRange{0x06EA, 0x06ED},
                                 CodePointRange{0x0900, 0x0902}, CodePointRange{0x093A, 0x093A},
                                 CodePointRange{0x093C, 0x093C}, CodePointRange{0x0941, 0x0948},
                                 CodePointRange{0x094D, 0x094D}, CodePointRange{0x0981, 0x0981},
                                 CodePointRange{0x09C1, 0x09C4}, CodePointRange{0x0E31, 0x0E31},
                                 CodePointRange{0x0E34, 0x0E3A}, CodePointRange{0x0E47, 0x0E4E},
                                 CodePointRange{0x1AB0, 0x1ACE}, CodePointRange{0x1DC0, 0x1DFF},
                                 CodePointRange{0x200B, 0x200F}, CodePointRange{0x202A, 0x202E},
                                 CodePointRange{0x2060, 0x2064}, CodePointRange{0x20D0, 0x20F0},
                                 CodePointRange{0x302A, 0x302D}, CodePointRange{0x3099, 0x309A},
                                 CodePointRange{0xFE00, 0xFE0F}, CodePointRange{0xFE20, 0xFE2F},
                                 CodePointRange{0xFEFF, 0xFEFF}, CodePointRange{0xE0100, 0xE01EF}};

constexpr std::array double_width = {
    CodePointRange{0x1100, 0x115F},   CodePointRange{0x231A, 0x231B},
    CodePointRange{0x2329, 0x232A},   CodePointRange{0x2E80, 0x303E},
    CodePointRange{0x3041, 0x33FF},   CodePointRange{0x3400, 0x4DBF},
    CodePointRange{0x4E00, 0xA4CF},   CodePointRange{0xA960, 0xA97F},
    CodePointRange{0xAC00, 0xD7A3},   CodePointRange{0xF900, 0xFAFF},
    CodePointRange{0xFE30, 0xFE6F},   CodePointRange{0xFF01, 0xFF60},
    CodePointRange{0xFFE0, 0xFFE6},   CodePointRange{0x1F300, 0x1F64F},
    CodePointRange{0x1F680, 0x1F6FF}, CodePointRange{0x1F900, 0x1F9FF},
    CodePointRange{0x20000, 0x3FFFD}};

std::size_t width_of(char32_t c) { return is_in(no_width, c) ? 0 : is_in(double_width, c) ? 2 : 1; }

std::string blanks(std::string_view text, std::size_t width) {
  const auto used = display_width(text);
  return std::string(used < width ? width - used : 0, ' ');
}

}  // namespace

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  for (const auto c : utf8::decode_all(text)) width += width_of(c);
  return width;
}

std::string pad_right(std::string_view text, std::size_t width) {
  return std::string(text) + blanks(text, width);
}

std::string pad_left(std::string_view text, std::size_t width) {
  return blanks(text, width) + std::string(text);
}

std::string cut_to_width(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  if (width == 0) return {};
  std::size_t used = 1;  // of the ellipsis
  std::string cut;
  for (const auto c : utf8::decode_all(text)) {
    used += width_of(c);
    if (used > width) break;
    utf8::append(cut, c);
  }
  return cut + "…";
}

std::string cut_front_to_width(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  if (width == 0) return {};
  const auto characters = utf8::decode_all(text);
  std::size_t used = 1;  // of the ellipsis
  auto begin = characters.size();
  while (used + width_of(characters[begin - 1]) <= width) used += width_of(characters[--begin]);
  // A mark stays with the character that it is on.
  while (begin < characters.size() && width_of(characters[begin]) == 0) ++begin;
  return "…" + utf8::encode_all(characters.substr(begin));
}

std::string fields_in_width(std::span<const std::string> fields, std::size_t width) {
  if (fields.empty()) return {};
  auto line = cut_to_width(fields.front(), width);
  auto used = display_width(line);
  for (const auto& field : fields.subspan(1)) {
    used += 2 + display_width(field);
    if (used > width) break;
    line += "  " + field;
  }
  return line;
}

}  // namespace dragoman
