#include "dragoman/corpus/preflight.h"

#include "dragoman/core/error.h"
#include "dragoman/corpus/duplicate_filter.h"
#include "dragoman/corpus/language_profile.h"
#include "dragoman/corpus/side_match.h"
#include "dragoman/text/lines.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace dragoman {

namespace {

// A pair is odd if its length ratio is this many times over or under the corpus's mean.
constexpr double odd_ratio_factor = 3.0;
constexpr double odd_ratio_share = 0.05;   // more than this share is worth a warning
constexpr double notable_share = 0.001;    // of pairs; fewer are counted, but cause no warning
constexpr double notable_overlap = 0.005;  // of validation sources

std::int64_t count_words(std::string_view text) {
  std::int64_t words = 0;
  char before = ' ';
  for (const char c : text) words += std::exchange(before, c) == ' ' && c != ' ' ? 1 : 0;
  return words;
}

std::int64_t count_characters(std::string_view text) {
  return std::count_if(text.begin(), text.end(),
                       [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
}

/// The beginnings of both sides of a further corpus or of the validation text.
struct OtherLanguages {
  LanguageProfile source = other_language();
  LanguageProfile target = other_language();
};

/// The content of the training text, to compare the validation text with.
struct Seen {
  DuplicateFilter sources;
  DuplicateFilter pairs;
  TrainingLanguage source_language, target_language;  ///< of the first pair of files
};

/// One side of a text, line by line, whatever is wrong with it.
class Side {
 public:
  explicit Side(const std::string& file) {
    facts_.file = file;
    guard([&] { reader_.emplace(file, LineUse::translation); });
  }

  /// The next line; none at the end, and where the file cannot be used.
  std::optional<std::string> next() {
    std::optional<Line> line;
    guard([&] {
      if (reader_) line = reader_->next();
    });
    if (!line) return std::nullopt;
    const auto characters = count_characters(line->text);
    bad_lines_ += line->had_bad_bytes || line->was_cut ? 1 : 0;
    ++facts_.lines;
    facts_.empty_lines += line->text.empty() ? 1 : 0;
    facts_.words += count_words(line->text);
    facts_.characters += characters;
    facts_.longest_line = std::max(facts_.longest_line, characters);
    return std::move(line->text);
  }

  /// At the end: whether the file is text, and what is wrong with it.
  bool usable() const { return reader_.has_value(); }
  const TextFacts& facts() const { return facts_; }
  void add_problems(std::vector<std::string>& problems) const {
    if (!problem_.empty()) problems.push_back(problem_);
    if (!usable() || bad_lines_ == 0) return;
    problems.push_back(first_refusal());
    problems.push_back(concat(facts_.file, ": ", bad_lines_, " of ", facts_.lines,
                              " lines are not UTF-8 or too long; the first is named above"));
  }

 private:
  template <typename Work>
  void guard(const Work& work) {
    try {
      work();
    } catch (const DataError& error) {
      problem_ = error.what();
      reader_.reset();
    }
  }

  /// The error that training would report for the first bad line.
  std::string first_refusal() const {
    try {
      LineReader strict(facts_.file, LineUse::training);
      while (strict.next()) {
      }
    } catch (const DataError& error) {
      return error.what();
    }
    return facts_.file + ": changed while it was read";
  }

  std::optional<LineReader> reader_;
  TextFacts facts_;
  std::int64_t bad_lines_ = 0;
  std::string problem_;  ///< why it cannot be used
};

/// How much the lengths of two sides differ; four bytes of memory a pair.
class Ratios {
 public:
  void add(const std::string& source, const std::string& target) {
    ratios_.push_back(static_cast<float>(count_characters(target)) /
                      static_cast<float>(count_characters(source)));
  }

  /// Mean of target / source length, and how many pairs lie far from it.
  void describe(PairFacts& facts) const {
    const auto count = static_cast<double>(ratios_.size());
    for (const double ratio : ratios_) facts.mean_ratio += ratio / count;
    facts.odd_ratios = std::count_if(ratios_.begin(), ratios_.end(), [&facts](double ratio) {
      return ratio > odd_ratio_factor * facts.mean_ratio ||
             ratio * odd_ratio_factor < facts.mean_ratio;
    });
  }

 private:
  std::vector<float> ratios_;
};

void add_pair_problems(const PairFacts& facts, std::vector<std::string>& problems) {
  const auto place = facts.source.file + " and " + facts.target.file;
  if (facts.source.lines != facts.target.lines)
    problems.push_back(concat(place, ": have ", facts.source.lines, " and ", facts.target.lines,
                              " lines; line n of one must translate line n of the other"));
}

bool has_text(const PairFacts& facts) { return facts.pairs > facts.empty_pairs; }

void add_no_text(const PairFacts& facts, std::vector<std::string>& texts) {
  texts.push_back(concat(facts.source.file, " and ", facts.target.file, ": 0 of ", facts.pairs,
                         " pairs are usable: no line has text on both sides"));
}

/// Facts of one pair of files. `visit(pair)` gets each pair of lines that has text.
template <typename Visit>
PairFacts check_pair(const std::string& source_file, const std::string& target_file,
                     std::vector<std::string>& problems, const Visit& visit) {
  Side source(source_file), target(target_file);
  PairFacts facts;
  Ratios ratios;
  SideMatch match;
  for (;;) {
    auto s = source.next();
    auto t = target.next();
    if (!s && !t) break;
    if (!s || !t) continue;
    match.add(*s, *t);
    const bool filled = !s->empty() && !t->empty();
    facts.empty_pairs += filled ? 0 : 1;
    facts.copies += filled && *s == *t ? 1 : 0;
    if (!filled) continue;
    ratios.add(*s, *t);
    visit(LinePair{std::move(*s), std::move(*t)});
  }
  source.add_problems(problems);
  target.add_problems(problems);
  facts.source = source.facts();
  facts.target = target.facts();
  if (!source.usable() || !target.usable()) return facts;
  facts.pairs = std::min(facts.source.lines, facts.target.lines);
  ratios.describe(facts);
  facts.length_correlation = match.length_correlation();
  facts.mismatch = match.mismatch();
  add_pair_problems(facts, problems);
  return facts;
}

void warn_of_pair(const PairFacts& facts, std::vector<std::string>& warnings) {
  const auto place = facts.source.file + " and " + facts.target.file;
  const auto all = static_cast<double>(facts.pairs);
  const auto warn = [&](std::int64_t count, std::string_view what) {
    if (count > 0 && static_cast<double>(count) >= notable_share * all)
      warnings.push_back(concat(place, ": ", count, " of ", facts.pairs, " pairs ", what));
  };
  warn(facts.empty_pairs, "have an empty side and are left out");
  warn(facts.duplicates,
       "occur earlier in the training text; "
       "data.drop_duplicates leaves them out");
  warn(facts.copies, "have the same text on both sides");
  if (static_cast<double>(facts.odd_ratios) > odd_ratio_share * static_cast<double>(facts.pairs))
    warn(facts.odd_ratios, "have a length ratio far from the mean; are the files aligned?");
  if (facts.mismatch)
    warnings.push_back(mismatch_text(*facts.mismatch, facts.source.file, facts.target.file));
}

void warn_of_languages(const PairFacts& facts, const OtherLanguages& other, const Seen& seen,
                       std::vector<std::string>& warnings) {
  for (auto& warning : compare_languages(seen.source_language, seen.target_language,
                                         {.source_name = facts.source.file,
                                          .target_name = facts.target.file,
                                          .source = other.source,
                                          .target = other.target}))
    warnings.push_back(std::move(warning));
}

/// One pair of files of the training text; the languages of the first are what all others are
/// compared with.
void check_training_pair(const DataOptions& options, std::size_t i, const TrainingPairVisit& visit,
                         Preflight& result, Seen& seen) {
  std::int64_t duplicates = 0;
  OtherLanguages other;
  auto facts = check_pair(options.train_source[i], options.train_target[i], result.problems,
                          [&](const LinePair& pair) {
                            seen.sources.insert(pair.source);
                            duplicates += seen.pairs.insert(pair) ? 0 : 1;
                            if (i == 0) seen.source_language.add(pair.source);
                            if (i == 0) seen.target_language.add(pair.target);
                            if (i > 0) other.source.add(pair.source);
                            if (i > 0) other.target.add(pair.target);
                            if (visit) visit(i, pair);
                          });
  facts.duplicates = duplicates;
  warn_of_pair(facts, result.warnings);
  if (i > 0 && is_in_first_languages(options, i))
    warn_of_languages(facts, other, seen, result.warnings);
  result.training.push_back(std::move(facts));
}

void check_training(const DataOptions& options, const TrainingPairVisit& visit, Preflight& result,
                    Seen& seen) {
  const auto& sources = options.train_source;
  const auto& targets = options.train_target;
  if (sources.size() != targets.size() || sources.empty())
    result.problems.push_back(concat("training text: ", sources.size(), " source and ",
                                     targets.size(),
                                     " target files; name one target file for each source file"));
  for (std::size_t i = 0; i < std::min(sources.size(), targets.size()); ++i)
    check_training_pair(options, i, visit, result, seen);
  // A training needs one pair of files with text.
  auto& where = std::ranges::any_of(result.training, has_text) ? result.warnings : result.problems;
  for (const auto& facts : result.training)
    if (facts.pairs > 0 && !has_text(facts)) add_no_text(facts, where);
}

void check_validation(const DataOptions& options, Preflight& result, const Seen& seen) {
  if (options.valid_source.empty() != options.valid_target.empty())
    result.problems.emplace_back("validation text: one side is missing; name both or neither");
  if (options.valid_source.empty() || options.valid_target.empty()) return;
  std::int64_t filled = 0;
  OtherLanguages other;
  auto facts = check_pair(
      options.valid_source, options.valid_target, result.problems, [&](const LinePair& pair) {
        ++filled;
        result.overlapping_sources += seen.sources.contains(pair.source) ? 1 : 0;
        result.overlapping_pairs += seen.pairs.contains(pair) ? 1 : 0;
        other.source.add(pair.source);
        other.target.add(pair.target);
      });
  if (facts.pairs > 0 && !has_text(facts)) add_no_text(facts, result.problems);
  warn_of_pair(facts, result.warnings);
  if (is_in_first_languages(options, options.train_source.size()))
    warn_of_languages(facts, other, seen, result.warnings);
  const auto overlap = static_cast<double>(result.overlapping_sources);
  if (overlap > 0.0 && overlap >= notable_overlap * static_cast<double>(filled))
    result.warnings.push_back(concat(options.valid_source, ": ", result.overlapping_sources, " of ",
                                     filled, " sources are in the training text too (",
                                     result.overlapping_pairs,
                                     " with the same translation); scores on it will be too good"));
  result.validation.push_back(std::move(facts));
}

}  // namespace

Preflight check_texts(const DataOptions& options, const TrainingPairVisit& visit) {
  Preflight result;
  Seen seen;
  check_training(options, visit, result, seen);
  check_validation(options, result, seen);
  return result;
}

}  // namespace dragoman
