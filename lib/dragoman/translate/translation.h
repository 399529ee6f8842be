#pragma once

#include "dragoman/core/error.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace dragoman {

/// "Source piece `source` is aligned with target piece `target`", both from 0 (Pharaoh's i-j).
struct AlignmentLink {
  std::int64_t source = 0;
  std::int64_t target = 0;

  bool operator==(const AlignmentLink&) const = default;
};

/// One hypothesis for a line.
struct Alternative {
  std::string text = {};
  std::vector<std::string> pieces = {};  ///< of the target, EOS not included
  /// Nats, of all pieces, those of a prefix included, and of EOS unless `truncated`; of the model's
  /// own distribution, whatever the temperature of samples is, as `search.renormalize`,
  /// `search.force_eos` and a shortlist leave it.
  double log_prob = 0.0;
  /// Of a beam: log_prob / length penalty, plus `search.coverage_penalty` * log coverage, which is
  /// at most 0, plus what reranking adds. Of greedy search and samples: log_prob.
  double score = 0.0;
  std::vector<AlignmentLink> alignment = {};  ///< by target piece; only if asked for
  bool truncated = false;  ///< stopped at the length limit, without EOS; of a line that was split
                           ///< any of its parts
  bool looping = false;    ///< repeats itself endlessly; likewise
  /// By the models of a reranking ('dragoman translate --rerank-...'), nats: log P(source | text)
  /// and log P(text); empty without one, as from a Translator.
  std::optional<double> reverse_log_prob = {}, lm_log_prob = {};
};

/// A line's translation. A line that was split has its parts' texts joined (by a blank, unless a
/// script writes none between sentences), their pieces concatenated, and their log-probabilities
/// and scores summed.
struct Translation {
  /// Best first, those that the length limit ended after the finished ones unless
  /// `search.strict_beam` is true; never empty. Those of a beam differ in their texts: of
  /// hypotheses with the same text in different pieces only the best one is kept. Samples are
  /// independent, may be equal, and are in the order in which they were drawn.
  std::vector<Alternative> n_best = {};
  /// With `TranslatorOptions::consensus`, `n_best` is the chosen sample alone, and this its mean
  /// utility against all samples, 0 to 100.
  std::optional<double> utility = {};

  std::vector<std::string> source_pieces = {};  ///< what was translated, EOS not included

  bool split = false;          ///< the line was too long and was split at sentence ends
  bool cut = false;            ///< a sentence was too long: pieces at its end were not translated
  bool truncated = false;      ///< the first of `n_best` stopped at the length limit, without EOS
  bool looping = false;        ///< the first of `n_best` repeats itself endlessly
  bool prefix_unused = false;  ///< the line is blank, and so is its translation, but not its prefix
  bool invalid = false;        ///< the line had bytes that are not UTF-8, read as U+FFFD

  /// The first character of the line, and of its target prefix, that the vocabulary lacks:
  /// it was read as the unknown piece.
  std::optional<char32_t> unknown = {}, unknown_in_prefix = {};

  const std::string& text() const& { return n_best.front().text; }
  std::string text() && { return std::move(n_best.front().text); }
};

/// A line that cannot be translated or scored, though those before it can.
class LineError : public DataError {
 public:
  LineError(std::int64_t line, const std::string& message) : DataError(message), line_(line) {}

  /// Its number in its text, from 0.
  std::int64_t line() const noexcept { return line_; }

 private:
  std::int64_t line_;
};

/// Further information about the lines of one call.
struct LinesContext {
  /// The target prefix of each line, empty = no prefix; an empty list = no line has one. The
  /// translation may continue a prefix's last word; blanks at its end do not count. That of a line
  /// that is split belongs to its first sentence; a blank line stays blank. Not copied: the list
  /// must live until the call returns.
  std::span<const std::string> prefixes = {};
  /// The first line's number in its text, from 0. What is drawn for a line depends only on its
  /// number and the option `seed`: change one of them to draw anew.
  std::int64_t first_line = 0;
  /// Called by the thread of the call, while the search goes on, after a batch or several, with the
  /// number of the call's parts (lines that are not blank, or sentences of lines that were split)
  /// that have been translated and the number of all; not at all if there are none. It may use the
  /// same Translator, and assign to it: the call goes on with what it began with.
  std::function<void(std::int64_t done, std::int64_t parts)> progress = {};
  /// Ends the call with Cancelled, soon after it asks for that: within one step of the search, or
  /// before the next sentence is split into pieces. A step takes the longer, the larger
  /// `search.beam_size` and `search.batch_tokens` are.
  std::stop_token stop = {};
};

}  // namespace dragoman
