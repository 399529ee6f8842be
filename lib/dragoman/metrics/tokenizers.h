#pragma once

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

/// \throws OptionsError listing the known names.
BleuTokenizer tokenizer_named(std::string_view name);

/// The tokens of one line.
std::vector<std::u32string> tokenize(std::u32string_view line, BleuTokenizer tokenizer);

}  // namespace dragoman
