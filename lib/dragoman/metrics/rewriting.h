#pragma once

#include <string>
#include <string_view>

/// Rewriting passes over a line, the building blocks of tokenizers. A pass over pairs of code
/// points scans from the left, and a match consumes both: in "...", the second and third cannot
/// match once the first and second have.
namespace dragoman::rewriting {

/// Replaces every `from` by `to`.
std::u32string replace_all(std::u32string_view text, std::u32string_view from,
                           std::u32string_view to);

/// Replaces &quot; &amp; &lt; &gt;, in this order over the whole text: `&amp;lt;` ends as `<`.
std::u32string unescape(std::u32string_view text);

/// Adds one space before and one after the text.
std::u32string pad(std::u32string_view text);

/// Adds a space on both sides of each code point that `belongs`.
template <typename Predicate>
std::u32string set_off(std::u32string_view text, Predicate belongs) {
  std::u32string out;
  out.reserve(text.size() + text.size() / 2);
  for (const char32_t c : text) {
    if (belongs(c)) {
      out += {U' ', c, U' '};
    } else {
      out += c;
    }
  }
  return out;
}

/// Which code point of a matching pair gets the spaces.
enum class Side { first, second };

/// Adds a space on both sides of one code point of each pair for which `matches(first, second)`.
template <typename Predicate>
std::u32string set_off_in_pair(std::u32string_view text, Side side, Predicate matches) {
  std::u32string out;
  out.reserve(text.size() + text.size() / 2);
  std::size_t i = 0;
  while (i + 1 < text.size()) {
    const char32_t first = text[i];
    const char32_t second = text[i + 1];
    if (!matches(first, second)) {
      out += first;
      ++i;
      continue;
    }
    if (side == Side::first) {
      out += {U' ', first, U' ', second};
    } else {
      out += {first, U' ', second, U' '};
    }
    i += 2;
  }
  if (i < text.size()) out += text[i];
  return out;
}

/// Sets off ASCII punctuation and symbols except apostrophe, comma, hyphen and full stop.
std::u32string set_off_western_marks(std::u32string_view text);

/// Sets off full stops and commas that are not between digits, and hyphens after a digit.
std::u32string set_off_beside_digits(std::u32string_view text);

}  // namespace dragoman::rewriting
