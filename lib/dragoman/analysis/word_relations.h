#pragma once

#include "dragoman/translate/run.h"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace dragoman {

/// Which word each piece belongs to, from 0; a piece that begins with the mark of a blank begins
/// one.
std::vector<std::int64_t> words_of(std::span<const std::string> pieces);

/// Two words of a sentence that stand in a relation, such as a noun and its determiner. Words are
/// what blanks separate, counted from 0.
struct WordPair {
  std::int64_t from = 0;  ///< the word that is to look
  std::int64_t to = 0;    ///< the word that it is to look at
  std::string relation;   ///< "determiner-noun"
};

/// One line for each sentence: "1-0:determiner-noun 4-1:subject-verb"; an empty one has none.
/// \throws FormatError naming line and word.
std::vector<std::vector<WordPair>> read_word_pairs(const std::filesystem::path& file);

/// How much weight the encoder's heads give to the pairs of one relation.
struct RelationReport {
  std::string relation;
  std::int64_t pairs = 0;
  double chance = 0.0;  ///< what equal weights would give
  /// By layer and head: the weight from the last piece of one word to all pieces of the other, the
  /// mean over the pairs.
  std::vector<std::vector<double>> shares;
};

/// \param sentences sources; targets are not looked at
/// \param relations of each sentence
/// \throws DataError if a sentence has no such word.
/// \throws OptionsError if the encoder has no self-attention.
std::vector<RelationReport> relation_shares(const LoadedRun& run,
                                            std::span<const LinePair> sentences,
                                            std::span<const std::vector<WordPair>> relations);

}  // namespace dragoman
