#pragma once

#include "dragoman/config/data_options.h"

#include <cstddef>
#include <cstdint>
#include <set>
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

/// Whether the pairs of files of a corpus are in one pair of languages: that of the first pair of
/// the training text.
class CorpusLanguages {
 public:
  /// \param data names the files, and must outlive this
  /// \param synthetic_tags source tags that name no language
  explicit CorpusLanguages(const DataOptions& data, std::set<std::string> synthetic_tags = {});

  /// The following lines are from pair `file` of the training text or, with the number of those,
  /// from the validation text.
  void begin(std::size_t file);
  void add(std::string_view source, std::string_view target);

  /// Of the lines since `begin`: one warning for sides that seem swapped, or one for each side that
  /// seems to be in another language. None of the first pair, of one with tags of other
  /// languages, or of the first pair the other way round; nor where a text has less than 2,000
  /// bytes or both sides of the first pair look alike.
  std::vector<std::string> warnings() const;

 private:
  bool is_to_be_in_first_languages() const;

  const DataOptions& data_;
  std::set<std::string> synthetic_tags_;
  std::size_t file_ = 0;
  TrainingLanguage first_source_, first_target_;
  LanguageProfile source_, target_;  ///< of the beginning of another pair
};

}  // namespace dragoman
