#pragma once

#include "dragoman/shortlist/shortlist.h"
#include "dragoman/text/tokenizer.h"

#include <filesystem>
#include <string>

namespace dragoman {

// The text forms of a shortlist, whose words are pieces. All readers throw FormatError "FILE: line
// 7: fact; remedy" for what is not such a line, and if more than a quarter of the pieces are not of
// the vocabulary; fewer unknown ones are read as the unknown piece, with a warning.

/// Marian's: lines "TARGET SOURCE PROBABILITY". Lines with NULL are skipped.
Shortlist read_marian_text(const std::filesystem::path& path, const Vocabulary& vocabulary);

/// \param shortlist without phrases; its first ids become entries of EOS
std::string marian_text(const Shortlist& shortlist, const Vocabulary& vocabulary);

/// CTranslate2's vmap.txt: lines "SOURCE SOURCE ..<TAB>TARGET TARGET ..". What has no source is
/// always allowed. Of lines with the same source the last one counts, as in CTranslate2; those
/// without any are joined.
Shortlist read_vocabulary_map(const std::filesystem::path& path, const Vocabulary& vocabulary);

std::string vocabulary_map(const Shortlist& shortlist, const Vocabulary& vocabulary);

}  // namespace dragoman
