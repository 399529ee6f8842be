#pragma once

#include "dragoman/config/data_options.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

/// How often each pair of neighbouring bytes occurs in a text: enough to tell languages and scripts
/// apart. ASCII capitals count as small letters. Takes 256 KiB.
class LanguageProfile {
 public:
  /// \param most_bytes lines after this many bytes are ignored
  explicit LanguageProfile(std::int64_t most_bytes);

  void add(std::string_view line);

  std::int64_t bytes() const { return bytes_; }
  bool full() const { return bytes_ >= most_bytes_; }

  /// Bhattacharyya coefficient of the two distributions: 1 = the same, 0 = nothing in common. Two
  /// texts of one language have 0.89 or more, of two languages in one script about 0.8 or less.
  double similarity(const LanguageProfile& other) const;

 private:
  std::int64_t most_bytes_;
  std::int64_t bytes_ = 0;
  std::int64_t pairs_ = 0;
  std::vector<std::uint32_t> counts_;
};

/// A profile of one side of the training text: of most of its beginning, and of a part that is held
/// out to measure how similar two samples of the same text are.
class TrainingLanguage {
 public:
  TrainingLanguage();
  void add(std::string_view line);

  const LanguageProfile& profile() const { return profile_; }
  /// Similarity of the held-out part; 0 if there is too little text.
  double similarity_to_itself() const;

 private:
  std::int64_t lines_ = 0;
  LanguageProfile profile_, apart_;
};

/// Both sides of a text by name, for messages.
struct NamedLanguages {
  std::string source_name, target_name;
  const LanguageProfile& source;
  const LanguageProfile& target;
};

/// Whether the sides of another text (validation, a further corpus) are in the languages of the
/// training text: one warning for sides that seem swapped, or one for each side that seems to be in
/// another language. None where a text has less than 2,000 bytes or both sides of the training text
/// look alike.
std::vector<std::string> compare_languages(const TrainingLanguage& source,
                                           const TrainingLanguage& target,
                                           const NamedLanguages& other);

/// Whether file `file` of the training text, or with their number the validation text, is to be in
/// the languages of the first: not with tags, which tell languages apart, and not if it is the
/// first one the other way round.
bool is_in_first_languages(const DataOptions& options, std::size_t file);

/// A profile of the size that `compare_languages` expects of another text.
LanguageProfile other_language();

}  // namespace dragoman
