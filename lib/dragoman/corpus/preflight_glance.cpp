#include "dragoman/core/error.h"
#include "dragoman/corpus/language_profile.h"
#include "dragoman/corpus/preflight.h"
#include "dragoman/corpus/side_match.h"
#include "dragoman/text/lines.h"

#include <algorithm>
#include <filesystem>
#include <utility>

namespace dragoman {

namespace {

constexpr std::int64_t glance_lines = 20000;

bool readable(const std::string& file) {
  std::error_code error;
  return std::filesystem::is_regular_file(file, error);
}

bool is_same_file(const std::string& one, const std::string& other) {
  std::error_code error;
  return std::filesystem::equivalent(one, other, error);
}

/// Warnings of files that are given for two purposes.
std::vector<std::string> repeated_files(const DataOptions& options, std::size_t pairs) {
  std::vector<std::string> warnings;
  bool validates_training_text = false;
  for (std::size_t i = 0; i < pairs; ++i) {
    if (is_same_file(options.train_source[i], options.train_target[i]))
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
  CorpusLanguages languages(options);
  const auto files = std::min(options.train_source.size(), options.train_target.size());
  auto warnings = repeated_files(options, files);
  const auto look = [&](const std::string& source, const std::string& target, std::size_t number) {
    SideMatch match;
    languages.begin(number);
    first_pairs(source, target, [&](const std::string& s, const std::string& t) {
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

}  // namespace dragoman
