#pragma once

#include "dragoman/config/data_options.h"
#include "dragoman/corpus/side_match.h"
#include "dragoman/text/example.h"
#include "dragoman/text/tokenizer.h"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace dragoman {

/// One side of a corpus, file by file.
struct TextFacts {
  std::string file;
  std::int64_t lines = 0;
  std::int64_t empty_lines = 0;
  std::int64_t words = 0;         ///< as `words_in` counts
  std::int64_t characters = 0;    ///< code points
  std::int64_t longest_line = 0;  ///< characters
};

/// A pair of files, line by line.
struct PairFacts {
  TextFacts source;
  TextFacts target;
  bool readable = false;         ///< both to their ends; else there are no numbers of pairs
  std::int64_t pairs = 0;        ///< lines that both files have
  std::int64_t empty_pairs = 0;  ///< a side is blank
  std::int64_t duplicates = 0;   ///< pairs that occur earlier in the training text
  std::int64_t copies = 0;       ///< both sides are the same
  double mean_ratio = 0.0;       ///< target characters / source characters, over pairs with text
  std::int64_t odd_ratios = 0;   ///< pairs whose ratio is over 3 times or under a third of the mean
  double length_correlation = 0.0;   ///< of the logarithms of both sides' lengths in characters
  std::optional<Mismatch> mismatch;  ///< where the target does not belong to the source
  std::optional<std::int64_t> contained;  ///< as `SideMatch::contained`
};

/// The findings of a check of the texts before training.
struct Preflight {
  std::vector<PairFacts> training;
  std::vector<PairFacts> validation;     ///< one, or none
  std::int64_t overlapping_sources = 0;  ///< validation sources that are in the training text
  std::int64_t overlapping_pairs = 0;    ///< validation pairs that are
  std::vector<std::string> problems;     ///< a training would be refused, or start with nothing
  std::vector<std::string> warnings;     ///< worth a look

  /// A table of at most 80 columns: the files that could be read, and what their pairs are like;
  /// empty if there are none.
  std::string table() const;
  nlohmann::json json() const;
};

/// Gets each training pair that has text on both sides, with the number of its pair of files.
using TrainingPairVisit = std::function<void(std::size_t file, const LinePair& pair)>;

/// Reads all texts once and lists everything that is wrong with them, not only the first fault. Of
/// each pair 30 to 50 bytes are kept, with languages up to 75, not its text.
/// \param synthetic_tags source tags that name no language
Preflight check_texts(const DataOptions& options, const TrainingPairVisit& visit = {},
                      const std::set<std::string>& synthetic_tags = {});

/// Looks at the first 20,000 lines of each file, in a fraction of a second, and gives the warnings
/// about sides that do not belong together, are in the wrong language or a table of both, and about
/// a file that is given twice. Errors in a file itself are left to its reader to report. Only
/// regular files are examined.
/// \param copies both sides are one text on purpose
/// \param synthetic_tags source tags that name no language
std::vector<std::string> glance_at_texts(const DataOptions& options, bool copies = false,
                                         const std::set<std::string>& synthetic_tags = {});

/// Whether SentencePiece's NFKC would replace characters of the target side, so that no translation
/// had them: the first file with many such lines among its first 2,000, in words ("36.2 % of the
/// first lines of FILE, such as '\uFF0C'"). Files are read as in `glance_at_texts`.
std::optional<std::string> replaced_by_nfkc(const DataOptions& options);

/// Reads the first 2,000 pairs of each pair of training files in pieces, and gives the warnings
/// about characters that the vocabulary lacks, and about those of the target side that its
/// normalisation replaces, so that no translation has them. The rest is as in `glance_at_texts`.
std::vector<std::string> glance_at_pieces(const DataOptions& options, const Vocabulary& vocabulary);

}  // namespace dragoman
