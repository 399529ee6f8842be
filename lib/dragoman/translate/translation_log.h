#pragma once

#include "dragoman/text/lines.h"
#include "dragoman/translate/translation.h"
#include "dragoman/translate/unknown_characters.h"

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>

namespace dragoman {

/// Warns of what happened to the lines of a text during translation: bytes that are not
/// valid UTF-8, lines that were split or cut, translations that did not end or are blank,
/// characters that the vocabulary lacks.
class TranslationLog {
 public:
  enum class Detail {
    lines,  ///< lines are named with their numbers, the first five for each fact; then counted
    counts  ///< lines are counted, for a text that nobody reads
  };

  /// \param place of the text, for messages
  /// \param longest translation that the model has positions for
  explicit TranslationLog(std::string place, Detail detail = Detail::lines,
                          std::int64_t longest = std::numeric_limits<std::int64_t>::max());

  /// The next line of the text. \param line with its number
  void tell(const Line& line, const Translation& translation);

  /// The counts, after the last line.
  void finish() const;

 private:
  void tell_unknown(std::int64_t line, const Translation& translation);
  std::string length_limit(std::string_view option) const;

  std::string place_;
  Detail detail_;
  std::int64_t longest_;
  std::int64_t lines_ = 0;
  std::int64_t split_ = 0, cut_lines_ = 0, cut_sentences_ = 0, truncated_ = 0, looping_ = 0,
               blank_ = 0;                    ///< lines
  std::map<std::string, std::int64_t> told_;  ///< fact -> lines, of Detail::lines
  UnknownCharacters unknown_;
  bool told_prefix_ = false;
};

}  // namespace dragoman
