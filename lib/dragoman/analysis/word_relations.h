#pragma once

#include "dragoman/run/loaded_run.h"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace dragoman {

/// The word index of each piece, from 0; a piece that begins with the space marker starts a word.
std::vector<std::int64_t> words_of(std::span<const std::string> pieces);

/// Two related words of a sentence, such as a noun and its determiner. Words are separated by
/// spaces and counted from 0.
struct WordPair {
  std::int64_t from = 0;  ///< the attending word
  std::int64_t to = 0;    ///< the word expected to be attended to
  std::string relation;   ///< "determiner-noun"
};

/// One line per sentence: "1-0:determiner-noun 4-1:subject-verb"; an empty line has none.
/// \param file "-" = standard input
/// \throws FormatError naming line and word.
std::vector<std::vector<WordPair>> read_word_pairs(const std::filesystem::path& file);

/// The weight that encoder heads put on the pairs of one relation.
struct RelationReport {
  std::string relation;
  std::int64_t pairs = 0;
  double chance = 0.0;  ///< expected from uniform weights
  /// By layer and head: the weight from the last piece of one word to all pieces of the other,
  /// averaged over the pairs; NaN for a pruned head.
  std::vector<std::vector<double>> shares;
};

/// \param sentences sources; targets are ignored
/// \param relations one list per sentence
/// \throws DataError if a sentence lacks one of the words, or the lists are not as many.
/// \throws OptionsError if the encoder has no self-attention.
std::vector<RelationReport> relation_shares(const LoadedRun& run,
                                            std::span<const LinePair> sentences,
                                            std::span<const std::vector<WordPair>> relations);

/// For each layer, how much more than chance its best head for a relation gives to the related
/// word: the mean over all pairs; NaN if all heads are pruned. Empty without reports.
std::vector<double> relation_weights(std::span<const RelationReport> reports);

}  // namespace dragoman
