#include "dragoman/config/tokenizer_options.h"

#include "dragoman/config/require.h"

namespace dragoman {

void TokenizerOptions::validate() const {
  options::require_between<std::int64_t>("tokenizer.vocab_size", vocab_size, 5, 1'000'000);
  options::require(character_coverage > 0.9 && character_coverage <= 1.0,
                   "tokenizer.character_coverage", character_coverage,
                   "is outside above 0.9 to 1",
                   "choose 1, or 0.9995 for languages with thousands of characters");
  options::require_between<std::int64_t>("tokenizer.max_sentences", max_sentences, 0,
                                         options::largest_count);
}

}  // namespace dragoman
