#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dragoman {

/// One way to translate a line.
struct Alternative {
  std::string text;
  std::vector<std::string> pieces;  ///< of the target, EOS not included
  double log_prob = 0.0;            ///< nats, of all pieces and EOS
  double score = 0.0;               ///< log_prob / length penalty; the order of an n-best list
};

/// "Source piece `source` goes with target piece `target`", both from 0 (Pharaoh's i-j).
struct AlignmentLink {
  std::int64_t source = 0;
  std::int64_t target = 0;
};

/// A line's translation. A line that was split has its parts' texts joined by a blank, its pieces
/// in a row, its log-probabilities and scores added up.
struct Translation {
  std::vector<Alternative> n_best;         ///< best first; never empty
  std::vector<std::string> source_pieces;  ///< what was translated, EOS not included
  std::vector<AlignmentLink> alignment;    ///< of the best one, by target piece; only if asked for

  bool split = false;      ///< the line was too long and was split at sentence ends
  bool cut = false;        ///< a sentence was too long: pieces at its end were not translated
  bool truncated = false;  ///< the translation stopped at the length limit, without EOS
  bool looping = false;    ///< the translation repeats itself without end

  const std::string& text() const { return n_best.front().text; }
};

}  // namespace dragoman
