#pragma once

#include "dragoman/run_page/run_on_text.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace dragoman {

/// A line that stands for others, by its place when all are ordered by score.
struct RankedLine {
  std::size_t line = 0;  ///< from 0
  std::size_t rank = 0;  ///< from 0, the lowest score first; of equal ones the first line
};

/// `count` of the lines, evenly spread from the lowest to the highest score; one alone is the
/// median.
/// \param scores of all lines
/// \param lines among which they are chosen; if they are fewer, all
std::vector<RankedLine> evenly_ranked(std::span<const double> scores,
                                      std::vector<std::size_t> lines, std::size_t count);

/// `count` lines as HTML: by the mean of the runs' sentence chrF2 the worst, the best, and evenly
/// spread ones between. Of each run the translation, its pieces with their probabilities, and a
/// heat map of the cross-attention (`written_pieces`). Lines that are blank, or were split or cut,
/// are not chosen.
std::string text_examples(const ReferencedText& text, std::span<const RunOnText> runs,
                          std::size_t count);

}  // namespace dragoman
