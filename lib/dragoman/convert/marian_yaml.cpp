#include "dragoman/convert/marian_yaml.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/log.h"
#include "dragoman/core/utf8.h"

#include <charconv>
#include <optional>

namespace dragoman {

namespace {

constexpr std::string_view yaml_blanks = " \t\r";

std::string_view without_blanks(std::string_view text) {
  const auto first = text.find_first_not_of(yaml_blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(yaml_blanks) - first + 1);
}

/// One line after the other, with their numbers.
class YamlLines {
 public:
  YamlLines(std::string_view text, const std::string& place)
      : rest_(text.substr(0, text.find('\0'))), place_(place) {}

  std::optional<std::string_view> next() {
    if (rest_.empty()) return std::nullopt;
    ++number_;
    const auto end = rest_.find('\n');
    const auto line = rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    return line;
  }

  std::string_view rest() const { return rest_; }

  [[noreturn]] void refuse(std::string_view fact) const {
    throw FormatError(concat(place_, ": line ", number_, ": ", fact));
  }

 private:
  std::string_view rest_;
  const std::string& place_;
  std::int64_t number_ = 0;
};

/// \param digits after `\x`, `\u` or `\U`
void append_escaped(std::string& text, std::string_view digits, const YamlLines& lines) {
  std::uint32_t code = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
  const bool is_surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (error != std::errc() || end != digits.data() + digits.size() || code > 0x10FFFF ||
      is_surrogate)
    lines.refuse("has an escape that is not a character");
  utf8::append(text, static_cast<char32_t>(code));
}

/// Decodes the escape sequence whose code, after the backslash, is at `at`, and appends it to
/// `scalar`. \return the place of its last character
std::size_t append_escape(std::string& scalar, std::string_view text, std::size_t at,
                          const YamlLines& lines) {
  constexpr std::string_view codes = "ntr0abefv\"\\/ ",
                             characters("\n\t\r\0\a\b\x1B\f\v\"\\/ ", 13);
  const char code = text[at];
  const auto known = codes.find(code);
  if (known != std::string_view::npos)
    scalar += characters[known];
  else if (code == 'x' || code == 'u' || code == 'U') {
    const std::size_t digits = code == 'x' ? 2 : code == 'u' ? 4 : 8;
    append_escaped(scalar, text.substr(at + 1, digits), lines);
    return at + digits;
  } else if (code == 'N')
    scalar += "\u0085";
  else if (code == '_')
    scalar += "\u00A0";
  else if (code == 'L')
    scalar += "\u2028";
  else if (code == 'P')
    scalar += "\u2029";
  else
    lines.refuse("has an escape that YAML does not have");
  return at;
}

/// A scalar at the front of `text`, which is cut off; a plain one ends before `ends`.
std::string take_scalar(std::string_view& text, std::string_view ends, const YamlLines& lines) {
  if (text.empty() || (text.front() != '"' && text.front() != '\'')) {
    const auto end = std::min(ends.empty() ? text.size() : text.rfind(ends), text.size());
    const auto scalar = std::string(without_blanks(text.substr(0, end)));
    text.remove_prefix(end);
    return scalar;
  }
  const char quote = text.front();
  std::string scalar;
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == quote) {
      if (quote == '"' || i + 1 >= text.size() || text[i + 1] != '\'') {
        text.remove_prefix(i + 1);
        return scalar;
      }
      scalar += '\'';
      ++i;
    } else if (quote == '"' && text[i] == '\\' && i + 1 < text.size()) {
      i = append_escape(scalar, text, i + 1, lines);
    } else {
      scalar += text[i];
    }
  }
  lines.refuse("has an unterminated quote");
}

/// The line before a comment, which begins with a # behind a blank.
std::string_view without_comment(std::string_view line) {
  char quote = '\0';
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i], before = i == 0 ? ' ' : line[i - 1];
    if (quote != '\0') {
      const bool is_escape = quote == '"' ? c == '\\' : c == quote && line.substr(i + 1, 1) == "'";
      if (is_escape)
        ++i;
      else if (c == quote)
        quote = '\0';
    } else if ((c == '"' || c == '\'') && std::string_view(" \t[,:").find(before) != line.npos) {
      quote = c;
    } else if (c == '#' && (before == ' ' || before == '\t')) {
      return line.substr(0, i);
    }
  }
  return line;
}

/// Cuts a key and its colon off the front.
std::string take_key(std::string_view& content, const YamlLines& lines) {
  const bool is_quoted = content.starts_with('"') || content.starts_with('\'');
  auto key = is_quoted ? take_scalar(content, "", lines) : std::string();
  const auto colon = content.find(':');
  if (colon == std::string_view::npos) lines.refuse("has no key");
  const auto rest = without_blanks(content.substr(0, colon));
  if (is_quoted && !rest.empty()) lines.refuse("has no colon behind its key");
  if (!is_quoted) key = rest;
  content = without_blanks(content.substr(colon + 1));
  return key;
}

std::vector<std::string> inline_list(std::string_view text, const YamlLines& lines) {
  std::vector<std::string> items;
  text = without_blanks(text);
  if (!text.ends_with(']')) lines.refuse("has an unterminated list");
  text = text.substr(1, text.size() - 2);
  while (!(text = without_blanks(text)).empty()) {
    const bool is_quoted = text.front() == '"' || text.front() == '\'';
    if (is_quoted) items.push_back(take_scalar(text, "", lines));
    const auto comma = std::min(text.find(','), text.size());
    const auto rest = without_blanks(text.substr(0, comma));
    if (is_quoted && !rest.empty()) lines.refuse("has no comma behind a quoted entry");
    if (!is_quoted) items.emplace_back(rest);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return items;
}

std::int64_t id_in(std::string_view text, const YamlLines& lines) {
  text = without_blanks(text);
  if (text.starts_with(':')) text = without_blanks(text.substr(1));
  const auto id = whole_number(text);
  if (!id || *id < 0)
    lines.refuse(concat("expected an id after the piece, found ", printable(text, 40)));
  return *id;
}

}  // namespace

std::optional<bool> truth_value(std::string_view scalar) {
  std::string text(scalar);
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  for (const char* name : {"true", "yes", "on", "y"})
    if (text == name) return true;
  for (const char* name : {"false", "no", "off", "n"})
    if (text == name) return false;
  return std::nullopt;
}

std::optional<std::int64_t> whole_number(std::string_view scalar) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(scalar.data(), scalar.data() + scalar.size(), number);
  const bool is_whole = error == std::errc() && end == scalar.data() + scalar.size();
  return is_whole ? std::optional(number) : std::nullopt;
}

MarianYaml parse_marian_yaml(std::string_view text, const std::string& place) {
  MarianYaml options;
  YamlLines lines(text, place);
  std::vector<std::string>* list = nullptr;
  while (const auto line = lines.next()) {
    auto content = without_blanks(without_comment(*line));
    if (content.empty() || content == "---") continue;
    if (content.starts_with('-') && list != nullptr) {
      content = without_blanks(content.substr(1));
      list->push_back(take_scalar(content, "", lines));
    } else if (content.starts_with('[') && list != nullptr) {
      *list = inline_list(content, lines);
    } else if (line->front() == ' ' || line->front() == '\t') {
      continue;  // of a nested map
    } else {
      const auto key = take_key(content, lines);
      const auto [entry, is_new] = options.try_emplace(key);
      if (!is_new) lines.refuse(concat("has the key ", printable(key, 40), " once more"));
      list = &entry->second;
      if (content.starts_with('['))
        *list = inline_list(content, lines);
      else if (!content.empty())
        list->push_back(take_scalar(content, "", lines));
    }
  }
  return options;
}

std::vector<std::pair<std::string, std::int64_t>> parse_marian_vocabulary(
    std::string_view text, const std::string& place) {
  if (const auto bad = utf8::find_invalid(text))
    throw FormatError(concat(place, ": is not UTF-8 at byte ", *bad));
  std::vector<std::pair<std::string, std::int64_t>> pieces;
  YamlLines lines(text, place);
  while (const auto line = lines.next()) {
    auto content = without_blanks(*line);
    if (content.empty() || content.starts_with("# ") || content == "---") continue;
    if (content.starts_with("? ")) {
      auto key = without_blanks(content.substr(2));
      const auto piece = take_scalar(key, "", lines);
      const auto value = lines.next();
      if (!value || !value->starts_with(':')) lines.refuse("has a piece without an id");
      pieces.emplace_back(piece, id_in(*value, lines));
      continue;
    }
    const auto piece = take_scalar(content, ": ", lines);
    pieces.emplace_back(piece, id_in(content, lines));
  }
  return pieces;
}

}  // namespace dragoman
