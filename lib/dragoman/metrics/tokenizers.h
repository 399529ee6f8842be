#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

/// How BLEU cuts a line into tokens.
enum class BleuTokenizer {
  mteval_13a,     ///< "13a": the script mteval-v13a of NIST; the default of published scores
  international,  ///< "intl": by Unicode's punctuation and symbols
  character,      ///< "char": every code point but white space
  none,           ///< "none": at white space only, for text that is tokens already
  chinese,        ///< "zh": every Chinese character, the rest as 13a
};

/// The name in signatures and on the command line.
std::string tokenizer_name(BleuTokenizer tokenizer);

/// \throws OptionsError naming the known ones.
BleuTokenizer tokenizer_named(std::string_view name);

/// The tokens of one line.
std::vector<std::u32string> tokenize(std::u32string_view line, BleuTokenizer tokenizer);

}  // namespace dragoman
