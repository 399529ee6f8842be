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

/// What named them, such as "--from" and "--to": messages begin with it. Empty = the language
/// alone.
struct LanguageGivers {
  std::string source = {};
  std::string target = {};
};

// M2M100 and NLLB have a token for each language, which begins the source and the translation.
// Other models of several languages read them as pieces in front of their source text (Johnson et
// al. 2017, "Google's Multilingual Neural Machine Translation System", section 3): `>>de<<` is the
// language to translate into, `<<en>>` that of the text. OPUS-MT has the former.

/// The code in a token such as M2M100's __af__; any other text as it is.
std::string language_code(const std::string& token);

/// The id of a language, by its code or such a token.
/// \param role "from" or "into", for the message
/// \throws OptionsError "LANGUAGE: fact; remedy" if it is not one of them
std::int32_t language_id(const LanguageIds& languages, const std::string& given, const char* role,
                         const std::string& giver = {});

/// Codes of the languages that a model can translate into, sorted; none for a model of one pair.
std::vector<std::string> target_languages(const Vocabulary& vocabulary);

/// The same for source languages.
std::vector<std::string> source_languages(const Vocabulary& vocabulary);

/// Whether languages can be named.
bool has_languages(const Vocabulary& vocabulary);

/// The ids of all languages' tokens of a side, or of all tags that are among its pieces.
std::vector<std::int32_t> language_tokens(const Tokenizer& side);

/// Warns once that a text does not name its target language, or names it twice, for a multilingual
/// model: at its first line without a language tag, or with one beside that of all lines.
class TargetReminder {
 public:
  /// \param source whose texts begin with a tag by themselves, or not; silent if it has none, or
  ///     one that some of the training files lack
  /// \param trained_on of the model
  /// \param place of the text, for the message
  /// \param has_option whether --to can name the language, too
  TargetReminder(const Tokenizer& source, const DataOptions& trained_on, std::string place,
                 bool has_option = true);

  /// \param number of the line, from 1
  void tell(std::int64_t number, std::string_view line);

 private:
  void tell_of_none(std::int64_t number) const;

  std::vector<std::string> codes_;  ///< none if there is nothing to say
  bool is_chosen_ = false;          ///< whether all lines begin with a tag
  std::string place_;
  bool has_option_;
};

/// The tokenizers whose texts begin with the languages that are named: as tags of the source, or
/// each side with its own. A language that is not named stays as it is.
/// \throws OptionsError "LANGUAGE: fact; remedy" if the model does not have it; if none is chosen
///     for a side that needs one
Vocabulary with_languages(const Vocabulary& vocabulary, const Languages& languages,
                          const LanguageGivers& givers = {});

/// The languages of one of the training files. \param file counted from 0
Languages languages_of_file(const DataOptions& options, std::size_t file);

/// A vocabulary whose source side has the tags of all training files: itself if it has them all,
/// else with the missing ones behind its other pieces. A text may then begin with the name of a
/// target's tag.
Vocabulary with_language_tags(const Vocabulary& vocabulary, const DataOptions& options);

}  // namespace dragoman
