#pragma once

#include "dragoman/config/data_options.h"
#include "dragoman/text/tokenizer.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

/// A pair of languages by their codes; empty = not named.
struct Languages {
  std::string source = {};
  std::string target = {};
};

// A model of several languages reads them as pieces in front of its source text (Johnson et al.
// 2017, "Google's Multilingual Neural Machine Translation System", section 3): `>>de<<` is the
// language to translate into, `<<en>>` that of the text. OPUS-MT has the former.

/// Codes of the languages that a source tokenizer's texts can be translated into, sorted; none for
/// a model of one pair.
std::vector<std::string> target_languages(const Tokenizer& source);

/// The same for source languages.
std::vector<std::string> source_languages(const Tokenizer& source);

/// Warns once that a text does not name its target language, for a multilingual model: at its first
/// line without a language tag.
class TargetReminder {
 public:
  /// \param source silent if its texts begin with a tag by themselves, or there is no choice
  /// \param place of the text, for the message
  TargetReminder(const Tokenizer& source, std::string place);

  /// \param number of the line, from 1
  void tell(std::int64_t number, std::string_view line);

 private:
  std::vector<std::string> codes_;  ///< none if there is nothing to say
  std::string place_;
};

/// The tokenizer whose texts begin with the tags of the languages that are named.
/// \throws OptionsError "LANGUAGE: fact; remedy" if it has no such tag
Tokenizer with_languages(const Tokenizer& source, const Languages& languages);

/// Those of one of the training files, from 0.
Languages languages_of_file(const DataOptions& options, std::size_t file);

/// A vocabulary whose source side has the tags of all training files: itself if it has them all,
/// else with the missing ones behind its other pieces. A text may then begin with the name of a
/// target's tag.
Vocabulary with_language_tags(const Vocabulary& vocabulary, const DataOptions& options);

}  // namespace dragoman
