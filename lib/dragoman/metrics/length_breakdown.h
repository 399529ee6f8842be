#pragma once

#include "dragoman/metrics/bleu.h"
#include "dragoman/metrics/count_range.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace dragoman {

/// The lines whose sources have some number of words, and their translations' scores.
struct LengthClass {
  CountRange words;        ///< of a source
  std::int64_t lines = 0;  ///< at least 1
  double bleu = 0.0;       ///< of these lines, 0 to 100
  double chrf = 0.0;       ///< chrF2, likewise
  double length_ratio =
      0;  ///< words of the translations / words of the references; 0 without these
};

/// Scores by the number of words in the source: 0, 1 to 5, then up to twice as many each; classes
/// without a line are left out. Words are BLEU's tokens.
/// \param hypotheses, references of each source
/// \throws DataError as `collect_statistics`
std::vector<LengthClass> scores_by_length(std::span<const std::string> sources,
                                          const std::vector<std::string>& hypotheses,
                                          const std::vector<std::string>& references,
                                          const BleuOptions& options = {});

}  // namespace dragoman
