#include "dragoman/core/error.h"
#include "dragoman/corpus/language_profile.h"
#include "dragoman/corpus/preflight.h"
#include "dragoman/corpus/side_match.h"
#include "dragoman/text/lines.h"

#include <algorithm>
#include <filesystem>

namespace dragoman {

namespace {

constexpr std::int64_t glance_lines = 20000;

bool readable(const std::string& file) {
  std::error_code error;
  return std::filesystem::is_regular_file(file, error);
}

/// Calls `visit(source, target)` for the first pairs of two files, as far as they can be read.
template <typename Visit>
void first_pairs(const std::string& source_file, const std::string& target_file,
                 const Visit& visit) {
  if (!readable(source_file) || !readable(target_file)) return;
  try {
    LineReader source(source_file, LineUse::translation), target(target_file, LineUse::translation);
    for (std::int64_t i = 0; i < glance_lines; ++i) {
      const auto s = source.next();
      const auto t = target.next();
      if (!s || !t) return;
      visit(s->text, t->text);
    }
  } catch (const DataError&) {
    return;  // the real reading reports it
  }
}

}  // namespace

std::vector<std::string> glance_at_texts(const DataOptions& options) {
  std::vector<std::string> warnings;
  TrainingLanguage source_language, target_language;
  const auto files = std::min(options.train_source.size(), options.train_target.size());
  const auto look = [&](const std::string& source, const std::string& target, std::size_t number) {
    const bool first = number == 0;
    SideMatch match;
    auto other_source = other_language(), other_target = other_language();
    first_pairs(source, target, [&](const std::string& s, const std::string& t) {
      match.add(s, t);
      if (first) source_language.add(s);
      if (first) target_language.add(t);
      other_source.add(s);
      other_target.add(t);
    });
    if (const auto found = match.mismatch())
      warnings.push_back(mismatch_text(*found, source, target));
    if (!is_in_first_languages(options, number)) return;
    for (auto& warning : compare_languages(source_language, target_language,
                                           {.source_name = source,
                                            .target_name = target,
                                            .source = other_source,
                                            .target = other_target}))
      warnings.push_back(std::move(warning));
  };
  for (std::size_t i = 0; i < files; ++i) look(options.train_source[i], options.train_target[i], i);
  if (!options.valid_source.empty())
    look(options.valid_source, options.valid_target, options.train_source.size());
  return warnings;
}

}  // namespace dragoman
