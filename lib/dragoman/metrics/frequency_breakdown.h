#pragma once

#include "dragoman/metrics/count_range.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace dragoman {

/// How often words occur somewhere; one that is missing does not occur.
using WordCounts = std::unordered_map<std::u32string, std::int64_t>;

/// The words of a line, in its order.
using LineWords = std::vector<std::u32string>;

/// Words of similar frequency, and how many of them translations have in common with references.
struct FrequencyClass {
  CountRange occurrences;            ///< of a word in the training text
  std::int64_t reference_words = 0;  ///< running words, not different ones; so in both below
  std::int64_t hypothesis_words = 0;
  std::int64_t matches = 0;  ///< of each word of a line the smaller of its counts in both

  std::optional<double> recall() const;  ///< matches / reference_words, 0 to 1; none without these
  std::optional<double> precision() const;  ///< matches / hypothesis_words, likewise
};

/// Recall and precision of words by how often they are in the training text: 0, 1, 2 to 5, 6 to 20,
/// 21 to 100 times, or more; classes without a word are left out.
/// \param hypotheses, references words, line for line
std::vector<FrequencyClass> words_by_frequency(std::span<const LineWords> hypotheses,
                                               std::span<const LineWords> references,
                                               const WordCounts& training);

}  // namespace dragoman
