#include "dragoman/text/preflight.h"

#include "dragoman/core/error.h"
#include "dragoman/text/lines.h"
#include "dragoman/text/seen_texts.h"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <utility>

namespace dragoman {

namespace {

// A pair is odd if its length ratio is this many times over or under the corpus's mean.
constexpr double odd_ratio_factor = 3.0;
constexpr double odd_ratio_share = 0.05;  // more than this share is worth a warning

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

/// What the training text holds, for a look at the validation text.
struct Seen {
  SeenTexts sources;
  SeenTexts pairs;
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

  /// What a training would say of the first bad line.
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

/// How far the lengths of two sides lie apart; four bytes of memory a pair.
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
  if (facts.empty_pairs == facts.pairs)
    problems.push_back(
        concat(place, ": 0 of ", facts.pairs, " pairs are usable: no line has text on both sides"));
}

/// Facts of one pair of files. `visit(source, target)` gets each pair of lines that has text.
template <typename Visit>
PairFacts check_pair(const std::string& source_file, const std::string& target_file,
                     std::vector<std::string>& problems, const Visit& visit) {
  Side source(source_file), target(target_file);
  PairFacts facts;
  Ratios ratios;
  for (;;) {
    const auto s = source.next();
    const auto t = target.next();
    if (!s && !t) break;
    if (!s || !t) continue;
    const bool filled = !s->empty() && !t->empty();
    facts.empty_pairs += filled ? 0 : 1;
    facts.copies += filled && *s == *t ? 1 : 0;
    if (!filled) continue;
    ratios.add(*s, *t);
    visit(*s, *t);
  }
  source.add_problems(problems);
  target.add_problems(problems);
  facts.source = source.facts();
  facts.target = target.facts();
  if (!source.usable() || !target.usable()) return facts;
  facts.pairs = std::min(facts.source.lines, facts.target.lines);
  ratios.describe(facts);
  add_pair_problems(facts, problems);
  return facts;
}

void warn_of_pair(const PairFacts& facts, std::vector<std::string>& warnings) {
  const auto place = facts.source.file + " and " + facts.target.file;
  const auto warn = [&](std::int64_t count, std::string_view what) {
    if (count > 0)
      warnings.push_back(concat(place, ": ", count, " of ", facts.pairs, " pairs ", what));
  };
  warn(facts.empty_pairs, "have an empty side and are left out");
  warn(facts.duplicates, "came before in the training text; data.drop_duplicates leaves them out");
  warn(facts.copies, "have the same text on both sides");
  if (static_cast<double>(facts.odd_ratios) > odd_ratio_share * static_cast<double>(facts.pairs))
    warn(facts.odd_ratios, "have a length ratio far from the mean; are the files aligned?");
}

void check_training(const DataOptions& options, Preflight& result, Seen& seen) {
  const auto& sources = options.train_source;
  const auto& targets = options.train_target;
  if (sources.size() != targets.size() || sources.empty())
    result.problems.push_back(concat("training text: ", sources.size(), " source and ",
                                     targets.size(),
                                     " target files; name one target file for each source file"));
  for (std::size_t i = 0; i < std::min(sources.size(), targets.size()); ++i) {
    std::int64_t duplicates = 0;
    auto facts =
        check_pair(sources[i], targets[i], result.problems, [&](const auto& s, const auto& t) {
          seen.sources.insert(s);
          duplicates += seen.pairs.insert(LinePair{s, t}) ? 0 : 1;
        });
    facts.duplicates = duplicates;
    warn_of_pair(facts, result.warnings);
    result.training.push_back(std::move(facts));
  }
}

void check_validation(const DataOptions& options, Preflight& result, const Seen& seen) {
  if (options.valid_source.empty() != options.valid_target.empty())
    result.problems.emplace_back("validation text: one side is missing; name both or neither");
  if (options.valid_source.empty() || options.valid_target.empty()) return;
  std::int64_t filled = 0;
  auto facts =
      check_pair(options.valid_source, options.valid_target, result.problems,
                 [&](const auto& s, const auto& t) {
                   ++filled;
                   result.overlapping_sources += seen.sources.contains(s) ? 1 : 0;
                   result.overlapping_pairs += seen.pairs.contains(LinePair{s, t}) ? 1 : 0;
                 });
  warn_of_pair(facts, result.warnings);
  if (result.overlapping_sources > 0)
    result.warnings.push_back(concat(options.valid_source, ": ", result.overlapping_sources, " of ",
                                     filled, " sources are in the training text too (",
                                     result.overlapping_pairs,
                                     " with the same translation); scores on it will be too good"));
  result.validation.push_back(std::move(facts));
}

template <typename... Values>
std::string format(const char* pattern, Values... values) {
  char line[512];
  std::snprintf(line, sizeof line, pattern, values...);
  return line;
}

std::string side_row(const TextFacts& side) {
  return format("%9lld %9lld %11lld %12lld %9lld  ", static_cast<long long>(side.lines),
                static_cast<long long>(side.empty_lines), static_cast<long long>(side.words),
                static_cast<long long>(side.characters),
                static_cast<long long>(side.longest_line)) +
         side.file + '\n';
}

std::string pair_rows(const PairFacts& pair) {
  return side_row(pair.source) + side_row(pair.target) +
         concat("  ", pair.pairs, " pairs, ", pair.empty_pairs, " with an empty side, ",
                pair.duplicates, " duplicates, ", pair.copies, " copies, ",
                format("mean length ratio %.2f, ", pair.mean_ratio), pair.odd_ratios,
                " far from it\n");
}

nlohmann::json side_json(const TextFacts& side) {
  return {
      {"file", side.file},   {"lines", side.lines},           {"empty_lines", side.empty_lines},
      {"words", side.words}, {"characters", side.characters}, {"longest_line", side.longest_line}};
}

nlohmann::json pair_json(const PairFacts& pair) {
  return {{"source", side_json(pair.source)},
          {"target", side_json(pair.target)},
          {"pairs", pair.pairs},
          {"empty_pairs", pair.empty_pairs},
          {"duplicates", pair.duplicates},
          {"copies", pair.copies},
          {"mean_ratio", pair.mean_ratio},
          {"odd_ratios", pair.odd_ratios}};
}

}  // namespace

std::string Preflight::text() const {
  std::string out = "    lines     empty       words   characters   longest  file\n";
  for (const auto& pair : training) out += pair_rows(pair);
  for (const auto& pair : validation) out += pair_rows(pair);
  for (const auto& problem : problems) out += "problem: " + problem + '\n';
  for (const auto& warning : warnings) out += "warning: " + warning + '\n';
  if (problems.empty() && warnings.empty()) out += "nothing to object to\n";
  return out;
}

nlohmann::json Preflight::json() const {
  nlohmann::json out = {{"training", nlohmann::json::array()},
                        {"validation", nlohmann::json::array()},
                        {"overlapping_sources", overlapping_sources},
                        {"overlapping_pairs", overlapping_pairs},
                        {"problems", problems},
                        {"warnings", warnings}};
  for (const auto& pair : training) out["training"].push_back(pair_json(pair));
  for (const auto& pair : validation) out["validation"].push_back(pair_json(pair));
  return out;
}

Preflight check_texts(const DataOptions& options) {
  Preflight result;
  Seen seen;
  check_training(options, result, seen);
  check_validation(options, result, seen);
  return result;
}

}  // namespace dragoman
