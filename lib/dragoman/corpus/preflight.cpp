#include "dragoman/corpus/preflight.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/quantity.h"
#include "dragoman/core/utf8.h"
#include "dragoman/corpus/duplicate_filter.h"
#include "dragoman/corpus/language_profile.h"
#include "dragoman/corpus/preflight_side.h"
#include "dragoman/corpus/side_match.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace dragoman {

namespace {

// A pair is odd if its length ratio is this many times over or under the corpus's mean.
constexpr double odd_ratio_factor = 3.0;
constexpr double odd_ratio_share = 0.05;   // more than this share is worth a warning
constexpr double notable_share = 0.001;    // of pairs; fewer are counted, but cause no warning
constexpr double notable_overlap = 0.005;  // of validation sources

/// The content of the training text, to compare the validation text with.
struct Seen {
  DuplicateFilter sources;
  DuplicateFilter pairs;
  DuplicateFilter examples;  ///< pairs with their languages
  CorpusLanguages languages;
};

/// How much the lengths of two sides differ; four bytes of memory a pair.
class Ratios {
 public:
  void add(const std::string& source, const std::string& target) {
    ratios_.push_back(static_cast<float>(utf8::count(target)) /
                      static_cast<float>(utf8::count(source)));
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
  PreflightSide source(source_file), target(target_file);
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
  facts.readable = source.usable() && target.usable();
  if (!facts.readable) return facts;
  facts.pairs = std::min(facts.source.lines, facts.target.lines);
  ratios.describe(facts);
  facts.length_correlation = match.length_correlation();
  facts.mismatch = match.mismatch();
  facts.contained = match.contained();
  add_pair_problems(facts, problems);
  return facts;
}

void warn_of_pair(const PairFacts& facts, bool drops_duplicates,
                  std::vector<std::string>& warnings) {
  const auto place = facts.source.file + " and " + facts.target.file;
  const auto all = static_cast<double>(facts.pairs);
  const auto warn = [&](std::int64_t count, std::string_view what) {
    if (count > 0 && static_cast<double>(count) >= notable_share * all)
      warnings.push_back(
          concat(place, ": ", grouped(count), " of ", grouped(facts.pairs), " pairs ", what));
  };
  warn(facts.empty_pairs, "have an empty side and are left out");
  warn(facts.duplicates, drops_duplicates ? "occur earlier in the training text and are left out"
                                          : "occur earlier in the training text; "
                                            "data.drop_duplicates leaves them out");
  warn(facts.copies, "have the same text on both sides");
  if (static_cast<double>(facts.odd_ratios) > odd_ratio_share * static_cast<double>(facts.pairs))
    warn(facts.odd_ratios, "have a length ratio far from the mean; are the files aligned?");
  if (facts.contained)
    warnings.push_back(table_text(*facts.contained, facts.source.file, facts.target.file));
  if (facts.mismatch)
    warnings.push_back(mismatch_text(*facts.mismatch, facts.source.file, facts.target.file));
}

void add_all(std::vector<std::string>&& more, std::vector<std::string>& texts) {
  std::ranges::move(more, std::back_inserter(texts));
}

/// Of a pair of files, as text; empty if they are not named.
std::string languages_of(const DataOptions& options, std::size_t file) {
  std::string languages;
  for (const auto* tags : {&options.source_tag, &options.target_tag})
    if (file < tags->size()) languages += (*tags)[file] + '\t';
  return languages;
}

/// One pair of files of the training text.
void check_training_pair(const DataOptions& options, std::size_t i, const TrainingPairVisit& visit,
                         Preflight& result, Seen& seen) {
  std::int64_t duplicates = 0;
  seen.languages.begin(i);
  // The same text in other languages is another example.
  const auto languages = languages_of(options, i);
  auto facts = check_pair(options.train_source[i], options.train_target[i], result.problems,
                          [&](const LinePair& pair) {
                            seen.sources.insert(pair.source);
                            bool is_new = seen.pairs.insert(pair);
                            if (!languages.empty())
                              is_new = seen.examples.insert({languages + pair.source, pair.target});
                            duplicates += is_new ? 0 : 1;
                            seen.languages.add(pair.source, pair.target);
                            if (visit) visit(i, pair);
                          });
  facts.duplicates = duplicates;
  warn_of_pair(facts, options.drop_duplicates, result.warnings);
  add_all(seen.languages.warnings(), result.warnings);
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

void check_validation(const DataOptions& options, Preflight& result, Seen& seen) {
  if (options.valid_source.empty() != options.valid_target.empty())
    result.problems.emplace_back("validation text: one side is missing; name both or neither");
  if (options.valid_source.empty() || options.valid_target.empty()) return;
  std::int64_t filled = 0;
  seen.languages.begin(options.train_source.size());
  auto facts = check_pair(
      options.valid_source, options.valid_target, result.problems, [&](const LinePair& pair) {
        ++filled;
        result.overlapping_sources += seen.sources.contains(pair.source) ? 1 : 0;
        result.overlapping_pairs += seen.pairs.contains(pair) ? 1 : 0;
        seen.languages.add(pair.source, pair.target);
      });
  if (facts.pairs > 0 && !has_text(facts)) add_no_text(facts, result.problems);
  warn_of_pair(facts, options.drop_duplicates, result.warnings);
  add_all(seen.languages.warnings(), result.warnings);
  const auto overlap = static_cast<double>(result.overlapping_sources);
  if (overlap > 0.0 && overlap >= notable_overlap * static_cast<double>(filled))
    result.warnings.push_back(concat(options.valid_source, ": ", result.overlapping_sources, " of ",
                                     filled, " sources are in the training text too (",
                                     result.overlapping_pairs,
                                     " with the same translation); scores on it will be too good"));
  result.validation.push_back(std::move(facts));
}

}  // namespace

Preflight check_texts(const DataOptions& options, const TrainingPairVisit& visit,
                      const std::set<std::string>& synthetic_tags) {
  Preflight result;
  Seen seen{.sources = {},
            .pairs = {},
            .examples = {},
            .languages = CorpusLanguages(options, synthetic_tags)};
  check_training(options, visit, result, seen);
  check_validation(options, result, seen);
  return result;
}

}  // namespace dragoman
