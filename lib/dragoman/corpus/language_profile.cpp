#include "dragoman/corpus/language_profile.h"

#include "dragoman/core/concat.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <utility>

namespace dragoman {

namespace {

constexpr std::size_t byte_values = 256;
constexpr std::int64_t training_bytes = 4 << 20;
constexpr std::int64_t sample_bytes = 64 << 10;
constexpr std::int64_t least_bytes = 2000;
constexpr std::int64_t kept_apart = 8;  // one line in this many, until there are enough

// Measured on English, German and French captions and sentences: the same language in another
// domain loses at most 0.08 against the training text's similarity to itself, another language 0.16
// or more.
constexpr double other_language_loss = 0.125;
// The lead that the other side must have for a text to seem to belong to it.
constexpr double other_side_lead = 0.05;

unsigned char folded(char c) {
  return static_cast<unsigned char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

/// Both sides of a text by name, for messages.
struct NamedLanguages {
  const std::string &source_name, &target_name;
  const LanguageProfile &source, &target;
};

std::vector<std::string> compare(const TrainingLanguage& source, const TrainingLanguage& target,
                                 const NamedLanguages& other) {
  const double own_source = source.similarity_to_itself();
  const double own_target = target.similarity_to_itself();
  if (own_source == 0.0 || own_target == 0.0) return {};
  const auto is_crossed = [](const LanguageProfile& text, const TrainingLanguage& own,
                             const TrainingLanguage& opposite, double opposite_similarity) {
    const double similarity = text.similarity(opposite.profile());
    return similarity - text.similarity(own.profile()) > other_side_lead &&
           opposite_similarity - similarity <= other_language_loss;
  };
  const bool enough_source = other.source.bytes() >= least_bytes;
  const bool enough_target = other.target.bytes() >= least_bytes;
  const bool source_crossed = enough_source && is_crossed(other.source, source, target, own_target);
  const bool target_crossed = enough_target && is_crossed(other.target, target, source, own_source);
  if (source_crossed && target_crossed)
    return {concat(other.source_name, " and ", other.target_name,
                   ": appear to be swapped: each is in the language of the training text's "
                   "other side")};
  std::vector<std::string> warnings;
  const auto look = [&](const std::string& name, const LanguageProfile& text, bool crossed,
                        const TrainingLanguage& own, double own_similarity, const char* side,
                        const char* opposite) {
    if (crossed)
      warnings.push_back(concat(name, ": seems to be in the language of the training text's ",
                                opposite, " side, not of its ", side, " side"));
    else if (own_similarity - text.similarity(own.profile()) > other_language_loss)
      warnings.push_back(concat(name, ": seems to be in another language than the training text's ",
                                side, " side"));
  };
  if (enough_source)
    look(other.source_name, other.source, source_crossed, source, own_source, "source", "target");
  if (enough_target)
    look(other.target_name, other.target, target_crossed, target, own_target, "target", "source");
  return warnings;
}

bool all_equal(const std::vector<std::string>& tags) {
  return std::ranges::adjacent_find(tags, std::not_equal_to<>()) == tags.end();
}

/// Whether a pair of files has the language of the first pair by its tag. Where the tags name one
/// language, the synthetic text and the validation text have that.
/// \param synthetic_tags name no language
bool has_first_language(const std::vector<std::string>& tags, std::size_t file,
                        const std::set<std::string>& synthetic_tags) {
  auto languages = tags;
  std::erase_if(languages, [&](const auto& tag) { return synthetic_tags.contains(tag); });
  if (all_equal(languages)) return true;
  return file < tags.size() && tags[file] == tags.front() && !synthetic_tags.contains(tags[file]);
}

}  // namespace

LanguageProfile::LanguageProfile(std::int64_t most_bytes)
    : most_bytes_(most_bytes), counts_(byte_values * byte_values) {}

void LanguageProfile::add(std::string_view line) {
  if (full() || line.empty()) return;
  bytes_ += static_cast<std::int64_t>(line.size());
  unsigned char before = ' ';
  const auto count = [&](unsigned char c) {
    ++counts_[before * byte_values + c];
    ++pairs_;
    before = c;
  };
  for (const char c : line) count(folded(c));
  count(' ');
}

double LanguageProfile::similarity(const LanguageProfile& other) const {
  if (pairs_ == 0 || other.pairs_ == 0) return 0.0;
  double sum = 0.0;
  for (std::size_t i = 0; i < counts_.size(); ++i)
    sum += std::sqrt(static_cast<double>(counts_[i]) * static_cast<double>(other.counts_[i]));
  return sum / std::sqrt(static_cast<double>(pairs_) * static_cast<double>(other.pairs_));
}

TrainingLanguage::TrainingLanguage() : profile_(training_bytes), apart_(sample_bytes) {}

void TrainingLanguage::add(std::string_view line) {
  const bool apart = ++lines_ % kept_apart == 0 && !apart_.full();
  (apart ? apart_ : profile_).add(line);
}

double TrainingLanguage::similarity_to_itself() const {
  return apart_.bytes() < least_bytes ? 0.0 : profile_.similarity(apart_);
}

CorpusLanguages::CorpusLanguages(const DataOptions& data, std::set<std::string> synthetic_tags)
    : data_(data),
      synthetic_tags_(std::move(synthetic_tags)),
      source_(sample_bytes),
      target_(sample_bytes) {}

void CorpusLanguages::begin(std::size_t file) {
  file_ = file;
  source_ = target_ = LanguageProfile(sample_bytes);
}

void CorpusLanguages::add(std::string_view source, std::string_view target) {
  if (file_ == 0) {
    first_source_.add(source);
    first_target_.add(target);
  } else {
    source_.add(source);
    target_.add(target);
  }
}

std::vector<std::string> CorpusLanguages::warnings() const {
  if (!is_to_be_in_first_languages()) return {};
  const bool is_training = file_ < data_.train_source.size();
  const auto& source_name = is_training ? data_.train_source[file_] : data_.valid_source;
  const auto& target_name = is_training ? data_.train_target[file_] : data_.valid_target;
  return compare(first_source_, first_target_,
                 {.source_name = source_name,
                  .target_name = target_name,
                  .source = source_,
                  .target = target_});
}

bool CorpusLanguages::is_to_be_in_first_languages() const {
  if (file_ == 0 || !has_first_language(data_.source_tag, file_, synthetic_tags_) ||
      !has_first_language(data_.target_tag, file_, {}))
    return false;
  return file_ >= data_.train_source.size() ||
         data_.train_source[file_] != data_.train_target.front() ||
         data_.train_target[file_] != data_.train_source.front();
}

}  // namespace dragoman
