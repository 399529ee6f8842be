#pragma once

#include "dragoman/corpus/token_store.h"
#include "dragoman/text/tokenizer.h"

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

namespace dragoman {

/// How often some words are in a training text.
struct TrainingWords {
  std::unordered_map<std::u32string, std::int64_t> counts;  ///< of each wanted word
  std::size_t lines = 0;                                    ///< that were read
  std::size_t all_lines = 0;                                ///< of the text
};

/// What is counted, and in how much of the text.
struct WordSearch {
  std::unordered_map<std::u32string, std::int64_t> wanted;  ///< the words, each with a 0
  std::function<std::vector<std::u32string>(const std::string&)> split;  ///< a line into its words
  std::size_t most_lines = 500000;  ///< a longer text is read in so many lines, evenly spread
};

/// Counts words of the target side, decoded from its ids.
/// \param text of a training, as `open_training_store` has made it
/// \param target the tokenizer of the ids
/// \throws DataError if the ids are another tokenizer's
TrainingWords count_target_words(const TokenStore& text, const Tokenizer& target,
                                 WordSearch search);

}  // namespace dragoman
