#include "dragoman/metrics/tokenizers.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/joined.h"
#include "dragoman/core/log.h"
#include "dragoman/core/quantity.h"
#include "dragoman/core/utf8.h"
#include "dragoman/metrics/rewriting.h"
#include "dragoman/metrics/unicode.h"
#include "dragoman/metrics/unicode_tables.h"

#include <algorithm>
#include <array>
#include <ranges>
#include <utility>

namespace dragoman {

namespace {

constexpr std::array<std::pair<BleuTokenizer, const char*>, 5> named_tokenizers = {{
    {BleuTokenizer::mteval_13a, "13a"},
    {BleuTokenizer::international, "intl"},
    {BleuTokenizer::character, "char"},
    {BleuTokenizer::none, "none"},
    {BleuTokenizer::chinese, "zh"},
}};

std::u32string tokenize_13a(std::u32string_view line) {
  auto text = rewriting::replace_all(line, U"<skipped>", U"");
  text = rewriting::replace_all(text, U"-\n", U"");
  text = rewriting::replace_all(text, U"\n", U" ");
  text = rewriting::pad(rewriting::unescape(text));
  return rewriting::set_off_beside_digits(rewriting::set_off_western_marks(text));
}

std::u32string tokenize_international(std::u32string_view line) {
  auto text = rewriting::set_off_in_pair(
      line, rewriting::Side::second, [](char32_t first, char32_t second) {
        return unicode::is_punctuation(second) && !unicode::is_number(first);
      });
  text =
      rewriting::set_off_in_pair(text, rewriting::Side::first, [](char32_t first, char32_t second) {
        return unicode::is_punctuation(first) && !unicode::is_number(second);
      });
  return rewriting::set_off(text, unicode::is_symbol);
}

/// The blocks that sacreBLEU treats as Chinese. Its source writes U+20000-2A6D6 and U+2F800-2FA1D
/// with four-digit escapes, which makes them 2001-2A6D and 2F81-2FA1: general punctuation and
/// mathematical symbols are split off, rare ideographs are not. Scores depend on it.
constexpr CodePointRange chinese_ranges[] = {
    {0x2001, 0x2A6D}, {0x2E80, 0x2EFF}, {0x2F00, 0x2FDF}, {0x2FF0, 0x2FFF}, {0x3000, 0x303F},
    {0x3100, 0x312F}, {0x31A0, 0x31BF}, {0x31C0, 0x31EF}, {0x3200, 0x32FF}, {0x3300, 0x33FF},
    {0x3400, 0x4DB5}, {0x4E00, 0x9FA5}, {0x9FA6, 0x9FBB}, {0xF900, 0xFA2D}, {0xFA30, 0xFA6A},
    {0xFA70, 0xFAD9}, {0xFE10, 0xFE1F}, {0xFE30, 0xFE4F}, {0xFF00, 0xFFEF}};

bool is_chinese(char32_t c) { return is_in(chinese_ranges, c); }

std::u32string tokenize_chinese(std::u32string_view line) {
  const auto text = rewriting::set_off(unicode::strip(line), is_chinese);
  return rewriting::set_off_beside_digits(rewriting::set_off_western_marks(text));
}

std::u32string with_spaces(std::u32string_view line, BleuTokenizer tokenizer) {
  switch (tokenizer) {
    case BleuTokenizer::mteval_13a: return tokenize_13a(line);
    case BleuTokenizer::international: return tokenize_international(line);
    case BleuTokenizer::character: return rewriting::set_off(line, [](char32_t) { return true; });
    case BleuTokenizer::chinese: return tokenize_chinese(line);
    case BleuTokenizer::none: break;
  }
  return std::u32string(line);
}

/// The mean of `count` over the lines that are not blank; 0 if all are.
template <typename Count>
double mean_per_line(const std::vector<std::string>& lines, const Count& count) {
  double sum = 0.0;
  double used = 0.0;
  for (const auto& line : lines) {
    const auto text = utf8::decode_all(line);
    const auto inside = unicode::strip(text);
    if (inside.empty()) continue;
    sum += static_cast<double>(count(inside));
    used += 1.0;
  }
  return used > 0.0 ? sum / used : 0.0;
}

}  // namespace

std::string tokenizer_name(BleuTokenizer tokenizer) {
  for (const auto& [value, name] : named_tokenizers) {
    if (value == tokenizer) return name;
  }
  throw ContractError("tokenizer_name: a value outside the enumeration");
}

std::vector<std::string> tokenizer_names() {
  std::vector<std::string> all;
  for (const auto& [value, name] : named_tokenizers) all.emplace_back(name);
  return all;
}

BleuTokenizer tokenizer_named(std::string_view name) {
  for (const auto& [value, candidate] : named_tokenizers)
    if (name == candidate) return value;
  throw OptionsError(concat("tokenize: \"", name, "\" is not a BLEU tokenizer; known: ",
                            joined(named_tokenizers | std::views::values)));
}

std::vector<std::u32string> tokenize(std::u32string_view line, BleuTokenizer tokenizer) {
  const auto text = with_spaces(line, tokenizer);
  const auto tokens = unicode::split(text);
  return {tokens.begin(), tokens.end()};
}

double tokens_per_line(const std::vector<std::string>& lines, BleuTokenizer tokenizer) {
  return mean_per_line(
      lines, [tokenizer](std::u32string_view line) { return tokenize(line, tokenizer).size(); });
}

bool are_unsplit(const std::vector<std::string>& lines, BleuTokenizer tokenizer) {
  constexpr double few_tokens = 1.5;
  constexpr double short_line = 4.0;  // characters
  const auto tokens = tokens_per_line(lines, tokenizer);
  const auto characters = mean_per_line(lines, [](auto line) { return line.size(); });
  return tokens > 0.0 && tokens < few_tokens && characters > short_line;
}

BleuTokenizer suitable_tokenizer(const std::vector<std::string>& references, BleuTokenizer own) {
  if (!are_unsplit(references, own)) return own;
  log_info(concat("BLEU: of characters, as the references have ",
                  decimal(tokens_per_line(references, own), 1), " tokens per line by tokenizer ",
                  tokenizer_name(own)));
  return BleuTokenizer::character;
}

std::optional<std::string> unsplit_warning(const std::vector<std::string>& references,
                                           BleuTokenizer tokenizer, std::string_view assignment) {
  if (!are_unsplit(references, tokenizer)) return std::nullopt;
  return concat("BLEU: the references have ", decimal(tokens_per_line(references, tokenizer), 1),
                " tokens per line by tokenizer ", tokenizer_name(tokenizer),
                ", so that BLEU mostly counts identical lines; give ", assignment,
                "zh for Chinese, ", assignment,
                "char for Japanese, Thai and other text without spaces");
}

}  // namespace dragoman
