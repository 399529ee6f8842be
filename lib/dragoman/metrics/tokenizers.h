#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

/// How BLEU splits a line into tokens.
enum class BleuTokenizer {
  mteval_13a,     ///< "13a": NIST's script mteval-v13a; the default of published scores
  international,  ///< "intl": by Unicode punctuation and symbols
  character,      ///< "char": every code point except whitespace
  none,           ///< "none": at whitespace only, for text that is already tokenized
  chinese,        ///< "zh": every Chinese character, the rest like 13a
};

/// The name in signatures and on the command line.
std::string tokenizer_name(BleuTokenizer tokenizer);

/// All names, "13a" first.
std::vector<std::string> tokenizer_names();

/// \throws OptionsError listing the known names.
BleuTokenizer tokenizer_named(std::string_view name);

/// The tokens of one line.
std::vector<std::u32string> tokenize(std::u32string_view line, BleuTokenizer tokenizer);

/// Mean tokens of the lines that are not blank, in UTF-8; 0 if all are.
double tokens_per_line(const std::vector<std::string>& lines, BleuTokenizer tokenizer);

/// Whether most lines are a single token (fewer than 1.5 a line) although they are longer than 4
/// characters on average: text without spaces, of which a metric then counts equal lines only.
/// \param lines in UTF-8
bool are_unsplit(const std::vector<std::string>& lines, BleuTokenizer tokenizer);

/// A tokenizer by which BLEU of these references counts more than equal lines: `own` or, if they
/// `are_unsplit` by it, that of characters, which is logged.
/// \param references lines, in UTF-8
BleuTokenizer suitable_tokenizer(const std::vector<std::string>& references, BleuTokenizer own);

/// A warning if the references `are_unsplit`.
/// \param references lines, in UTF-8
/// \param assignment that selects the tokenizer, for the message: "train.bleu_tokenizer="
std::optional<std::string> unsplit_warning(const std::vector<std::string>& references,
                                           BleuTokenizer tokenizer, std::string_view assignment);

}  // namespace dragoman
