#include "dragoman/text/tokenizer_lines.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/mix.h"
#include "dragoman/core/utf8.h"

#include <algorithm>
#include <random>
#include <unordered_set>
#include <utility>

namespace dragoman {

namespace {

constexpr std::size_t longest_part = 512;  // bytes

/// Whether anything is left of a line when it is normalised. Lines of which nothing
/// is left make an older trainer end the process.
bool has_text(std::string_view line) {
  for (std::size_t at = 0; at < line.size();) {
    const auto [c, length] = utf8::decode(line, at);
    const bool blank = c <= 0x20 || (c >= 0x7F && c <= 0xA0) || c == 0xAD || c == 0x1680 ||
                       (c >= 0x2000 && c <= 0x200F) || (c >= 0x2028 && c <= 0x202F) ||
                       (c >= 0x205F && c <= 0x206F) || c == 0x2581 || c == 0x3000 || c == 0xFEFF ||
                       c == 0xFFFD;
    if (!blank) return true;
    at += length;
  }
  return false;
}

/// Draws `wanted` of `filled` lines with text: each set of that size is equally likely.
std::vector<std::string> draw_of(const LinePasses& text, std::uint64_t filled, std::uint64_t wanted,
                                 std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::string> drawn;
  text([&](const std::string& line) {
    if (filled == 0 || !has_text(line)) return;
    if (random() % filled < wanted - drawn.size()) drawn.push_back(line);
    --filled;  // those that are left
  });
  return drawn;
}

/// Lines with text, at most `limit` of them (0 = all). No more than that are in memory; only where
/// there are more is the text read a second time.
std::vector<std::string> draw_lines(const LinePasses& text, std::int64_t limit, std::uint64_t seed,
                                    std::string_view what) {
  const auto wanted = static_cast<std::uint64_t>(limit);
  std::uint64_t filled = 0;
  std::vector<std::string> all;
  text([&](const std::string& line) {
    if (!has_text(line)) return;
    ++filled;
    if (limit == 0 || filled <= wanted) all.push_back(line);
    if (limit > 0 && filled == wanted + 1) all = std::vector<std::string>();
  });
  if (limit == 0 || filled <= wanted) return all;
  auto drawn = draw_of(text, filled, wanted, seed);
  if (drawn.size() < wanted)
    throw DataError(concat(what, ": had ", filled,
                           " lines with text, but fewer when it was read "
                           "again; save it as a file that does not change"));
  return drawn;
}

/// Cuts a line behind blanks or, in a word that is too long, between characters.
/// \param seen parts of lines that were cut: of equal ones, as those of lines that say the same
///     endlessly, the first is kept
void append_parts(std::vector<std::string>& parts, std::string line,
                  std::unordered_set<std::string>& seen) {
  if (line.size() <= longest_tokenizer_line) return parts.push_back(std::move(line));
  const auto append = [&](std::string part) {
    if (has_text(part) && seen.insert(part).second) parts.push_back(std::move(part));
  };
  std::size_t at = 0;
  while (line.size() - at > longest_part) {
    const auto blank = std::string_view(line).substr(at, longest_part).rfind(' ');
    const auto part = utf8::front(std::string_view(line).substr(at),
                                  blank == std::string_view::npos ? longest_part : blank + 1);
    append(std::string(part));
    at += std::max<std::size_t>(1, part.size());
  }
  append(line.substr(at));
}

}  // namespace

std::vector<std::string> split_tokenizer_lines(std::vector<std::string> lines) {
  std::vector<std::string> parts;
  std::unordered_set<std::string> seen;
  for (auto& line : lines)
    if (has_text(line)) append_parts(parts, std::move(line), seen);
  return parts;
}

std::vector<std::string> draw_tokenizer_lines(const LinePasses& text, std::int64_t limit,
                                              std::uint64_t seed, std::string_view what) {
  auto parts = split_tokenizer_lines(draw_lines(text, limit, seed, what));
  std::mt19937_64 random(seed);
  shuffle(parts, random);
  return parts;
}

}  // namespace dragoman
