#pragma once

#include <string>
#include <vector>

namespace dragoman::app {

/// A text to score or to score against, without white space at the ends of its lines.
struct ScoredText {
  std::string name;
  std::vector<std::string> lines;
};

/// \param file a path, or "-" for standard input
ScoredText read_scored(const std::string& file);

/// \throws DataError if they have different numbers of lines, or none
void expect_parallel(const ScoredText& text, const ScoredText& reference);

}  // namespace dragoman::app
