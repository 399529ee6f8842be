#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/joined.h"
#include "dragoman/core/quantity.h"
#include "dragoman/core/utf8.h"
#include "dragoman/corpus/language_profile.h"
#include "dragoman/corpus/preflight.h"
#include "dragoman/corpus/side_match.h"
#include "dragoman/metrics/unicode.h"
#include "dragoman/text/learn_tokenizer.h"
#include "dragoman/text/lines.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>

namespace dragoman {

namespace {

constexpr std::int64_t glance_lines = 20000, lines_read_in_pieces = 2000;

bool readable(const std::string& file) {
  std::error_code error;
  return std::filesystem::is_regular_file(file, error);
}

bool is_same_file(const std::string& one, const std::string& other) {
  std::error_code error;
  return std::filesystem::equivalent(one, other, error);
}

/// Warnings of files that are given for two purposes.
std::vector<std::string> repeated_files(const DataOptions& options, std::size_t pairs,
                                        bool copies) {
  std::vector<std::string> warnings;
  bool validates_training_text = false;
  for (std::size_t i = 0; i < pairs; ++i) {
    if (!copies && is_same_file(options.train_source[i], options.train_target[i]))
      warnings.push_back(options.train_source[i] +
                         ": is both sides of the training text: the model learns to copy");
    validates_training_text |= is_same_file(options.train_source[i], options.valid_source) &&
                               is_same_file(options.train_target[i], options.valid_target);
  }
  if (validates_training_text)
    warnings.push_back(options.valid_source +
                       ": is training text, too, so that validations say nothing about new text");
  return warnings;
}

/// Calls `visit(source, target)` for the first pairs of two files, as far as they can be read.
template <typename Visit>
void first_pairs(const std::string& source_file, const std::string& target_file, std::int64_t most,
                 const Visit& visit) {
  if (!readable(source_file) || !readable(target_file)) return;
  try {
    LineReader source(source_file, LineUse::translation), target(target_file, LineUse::translation);
    for (std::int64_t i = 0; i < most; ++i) {
      const auto s = source.next();
      const auto t = target.next();
      if (!s || !t) return;
      visit(s->text, t->text);
    }
  } catch (const DataError&) {
    return;  // the real reading reports it
  }
}

bool is_over(std::int64_t part, std::int64_t whole, double share) {
  return static_cast<double>(part) > share * static_cast<double>(whole);
}

std::string percentage(std::int64_t part, std::int64_t whole) {
  return concat(decimal(100.0 * static_cast<double>(part) / static_cast<double>(whole), 1), " %");
}

/// How many of the pieces that lines are read in are unknown.
struct UnknownPieces {
  const Tokenizer& tokenizer;
  std::int64_t pieces = 0;
  std::int64_t unknown = 0;

  void read(const std::string& line);
  std::optional<std::string> warning(const std::string& file) const;
};

/// How many lines could not be written as they are, because of the tokenizer's normalisation.
struct ReplacedCharacters {
  const Tokenizer& tokenizer;
  std::int64_t lines = 0;
  std::int64_t changed = 0;      ///< of the lines
  std::set<char32_t> lost = {};  ///< some of the characters

  void read(const std::string& line);
  bool are_many() const;
  std::string examples() const;
};

/// Without blanks, which count in no metric's words, and without case, which an option folds.
std::u32string compared(std::string_view line) {
  std::u32string text;
  for (const auto c : unicode::to_lower(utf8::decode_all(line))) {
    if (c == U'\u00DF')  // sharp s
      text += U"ss";
    else if (!unicode::is_white_space(c) && c != U'\u200B')
      text += c == U'\u03C2' ? U'\u03C3' : c;  // final sigma
  }
  return text;
}

void UnknownPieces::read(const std::string& line) {
  const auto ids = tokenizer.encode(line);
  pieces += std::ssize(ids);
  unknown += std::ranges::count(ids, static_cast<std::int32_t>(tokenizer.special().unk));
}

std::optional<std::string> UnknownPieces::warning(const std::string& file) const {
  constexpr double much = 0.05;
  if (!is_over(unknown, pieces, much)) return std::nullopt;
  return concat(file, ": ", percentage(unknown, pieces),
                " of the pieces of its first lines are unknown, as the vocabulary lacks their "
                "characters, and the model learns nothing about them; use a vocabulary that was "
                "learned from such text, with a higher tokenizer.character_coverage or "
                "tokenizer.byte_fallback=true");
}

void ReplacedCharacters::read(const std::string& line) {
  const auto ids = tokenizer.encode(line);
  if (std::ranges::find(ids, static_cast<std::int32_t>(tokenizer.special().unk)) != ids.end())
    return;  // is written as something else in any case
  ++lines;
  const auto of_text = std::span(ids).subspan(tokenizer.prefix().size());
  const auto is = compared(line), written = compared(tokenizer.decode(of_text));
  if (is == written) return;
  ++changed;
  constexpr std::size_t most_named = 5;
  const auto is_lost = [&written](char32_t c) { return written.find(c) == written.npos; };
  const auto first = std::ranges::find_if(is, is_lost);
  if (first != is.end() && lost.size() < most_named) lost.insert(*first);
}

bool ReplacedCharacters::are_many() const {
  constexpr double few = 0.01;
  return is_over(changed, lines, few);
}

/// ", such as 'x' and 'y'"
std::string ReplacedCharacters::examples() const {
  std::vector<std::string> names;
  for (const auto character : lost) names.push_back(utf8::quoted_character(character));
  return names.empty() ? "" : concat(", such as ", joined(names));
}

}  // namespace

std::vector<std::string> glance_at_texts(const DataOptions& options, bool copies,
                                         const std::set<std::string>& synthetic_tags) {
  CorpusLanguages languages(options, synthetic_tags);
  const auto files = std::min(options.train_source.size(), options.train_target.size());
  auto warnings = repeated_files(options, files, copies);
  const auto look = [&](const std::string& source, const std::string& target, std::size_t number) {
    SideMatch match;
    languages.begin(number);
    first_pairs(source, target, glance_lines, [&](const std::string& s, const std::string& t) {
      match.add(s, t);
      languages.add(s, t);
    });
    if (const auto contained = match.contained())
      warnings.push_back(table_text(*contained, source, target));
    if (const auto found = match.mismatch())
      warnings.push_back(mismatch_text(*found, source, target));
    for (auto& warning : languages.warnings()) warnings.push_back(std::move(warning));
  };
  for (std::size_t i = 0; i < files; ++i) look(options.train_source[i], options.train_target[i], i);
  if (!options.valid_source.empty())
    look(options.valid_source, options.valid_target, options.train_source.size());
  return warnings;
}

std::optional<std::string> replaced_by_nfkc(const DataOptions& options) {
  const auto files = std::min(options.train_source.size(), options.train_target.size());
  for (std::size_t i = 0; i < files; ++i) {
    const auto& file = options.train_target[i];
    std::vector<std::string> lines;
    first_pairs(options.train_source[i], file, lines_read_in_pieces,
                [&](const std::string&, const std::string& t) { lines.push_back(t); });
    const auto tokenizer = character_tokenizer(lines, Normalization::nfkc, file);
    if (!tokenizer) continue;
    ReplacedCharacters replaced{.tokenizer = *tokenizer};
    for (const auto& line : lines) replaced.read(line);
    if (replaced.are_many())
      return concat(percentage(replaced.changed, replaced.lines), " of the first lines of ", file,
                    replaced.examples());
  }
  return std::nullopt;
}

std::vector<std::string> glance_at_pieces(const DataOptions& options,
                                          const Vocabulary& vocabulary) {
  std::vector<std::string> warnings;
  const auto warn = [&warnings](std::optional<std::string> warning) {
    if (warning) warnings.push_back(std::move(*warning));
  };
  const auto files = std::min(options.train_source.size(), options.train_target.size());
  for (std::size_t i = 0; i < files; ++i) {
    const auto &source_file = options.train_source[i], &target_file = options.train_target[i];
    UnknownPieces source{.tokenizer = vocabulary.source}, target{.tokenizer = vocabulary.target};
    ReplacedCharacters replaced{.tokenizer = vocabulary.target};
    first_pairs(source_file, target_file, lines_read_in_pieces,
                [&](const std::string& s, const std::string& t) {
                  source.read(s);
                  target.read(t);
                  replaced.read(t);
                });
    warn(source.warning(source_file));
    warn(target.warning(target_file));
    if (replaced.are_many())
      warn(concat(
          target_file, ": in ", percentage(replaced.changed, replaced.lines),
          " of its first lines, the tokenizer replaces or joins characters", replaced.examples(),
          ": translations then have the replacements, which metrics count as errors; a "
          "tokenizer learned with tokenizer.normalization=identity keeps the originals, or make "
          "the same replacements in all texts"));
  }
  return warnings;
}

}  // namespace dragoman
