#pragma once

#include "dragoman/config/enum_names.h"
#include "dragoman/shortlist/shortlist.h"
#include "dragoman/text/tokenizer.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>

namespace dragoman {

/// Files of shortlists: Marian's binary one, its text (lines "TARGET SOURCE PROBABILITY") and
/// CTranslate2's vmap.txt (lines "SOURCE ..<TAB>TARGET ..").
enum class ShortlistFormat { marian, marian_text, ctranslate2 };
DRAGOMAN_ENUM_NAMES(ShortlistFormat, {{ShortlistFormat::marian, "marian"},
                                      {ShortlistFormat::marian_text, "marian-text"},
                                      {ShortlistFormat::ctranslate2, "ctranslate2"}})

/// Of Marian's text, what its readers take by default: the first ids, and the best of each source
/// piece.
inline constexpr std::int64_t marian_first = 100, marian_best = 100;

/// A shortlist as its file has it.
struct ReadShortlist {
  Shortlist shortlist;
  ShortlistFormat format = ShortlistFormat::marian;  ///< found by the content
};

/// What a shortlist for these tokenizers belongs to.
ShortlistVocabulary shortlist_vocabulary(const Vocabulary& vocabulary);

/// Reads a shortlist of any format. Pieces that the vocabulary lacks are read as unknown, with a
/// warning.
/// \throws DataError if it cannot be read; FormatError "PLACE: fact; remedy" if it is damaged or
///     belongs to another vocabulary
ReadShortlist read_shortlist(const std::filesystem::path& path, const Vocabulary& vocabulary);

/// Reads the shortlist that a translation uses: Marian's text, which leaves the sizes to its
/// readers, with Marian's own: the first 100 ids, and the best 100 of each source piece.
/// \throws as `read_shortlist`
Shortlist load_shortlist(const std::filesystem::path& path, const Vocabulary& vocabulary);

/// The content of a file. Probabilities that are not known are written as equal shares.
/// \throws DataError if the format has no place for a phrase of several source pieces, or for a
///     piece with a blank
std::string shortlist_bytes(const Shortlist& shortlist, const Vocabulary& vocabulary,
                            ShortlistFormat format);

}  // namespace dragoman
