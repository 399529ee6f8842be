#pragma once

#include "dragoman/text/example.h"
#include "dragoman/text/lines.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace dragoman {

/// Whether all pairs of a text may have a blank side, which training cannot use.
enum class BlankPairs { refused, allowed };

/// Reads the pairs of a corpus, line n of source file i with line n of target file i, file after
/// file, in memory that does not grow with the text.
class ParallelText {
 public:
  /// \throws OptionsError if there is not a target file for each source file.
  ParallelText(std::span<const std::string> sources, std::span<const std::string> targets,
               BlankPairs blank = BlankPairs::refused);

  /// The next pair; none at the end.
  /// \throws DataError naming both files if their numbers of lines differ, or, at the end, unless
  ///     that is allowed, if no pair has text on both sides; as `LineReader` for what is no text.
  std::optional<LinePair> next();

  /// The next pairs of one pair of files, a block of work for one thread; empty where these
  /// files end. `next_file` moves to the following ones.
  std::vector<LinePair> next_block();

  /// Whether there is a pair of files that has not been started.
  bool next_file();

  std::int64_t pairs() const { return pairs_; }  ///< read so far

 private:
  std::optional<LinePair> next_of_file();
  void expect_filled() const;

  std::vector<std::string> sources_, targets_;
  BlankPairs blank_;
  std::size_t begun_ = 0;  ///< pairs of files
  std::optional<LineReader> source_, target_;
  std::int64_t pairs_ = 0;
  std::int64_t filled_ = 0;  ///< pairs with text on both sides
};

/// Reads a corpus to its end.
/// \throws as `ParallelText` does
void expect_parallel_text(std::span<const std::string> sources,
                          std::span<const std::string> targets);

/// The names of a corpus in messages: "a.de, b.de and a.en, b.en".
std::string corpus_place(std::span<const std::string> sources,
                         std::span<const std::string> targets);

}  // namespace dragoman
