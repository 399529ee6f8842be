#pragma once

#include "dragoman/config/search_options.h"
#include "dragoman/search/hypothesis.h"

#include <cstdint>
#include <span>
#include <vector>

namespace dragoman {

/// A live hypothesis of one sentence and a candidate for its next token.
struct Extension {
  std::int64_t parent = 0;  ///< index into `Beam::live()`
  std::int64_t token = 0;
  double log_prob = 0.0;  ///< nats, of the hypothesis including this token
  double coverage = 0.0;  ///< beta times its log coverage (Wu et al. 2016), at most 0
};

/// The hypotheses of one sentence (section 6.1), independent of the model: which are live, which
/// are finished, and when the result is final.
///
/// Each step considers the 2 * beam_size best extensions:
/// - Those that end with EOS are finished, with score log_prob / lp(length) + coverage. With
///   `strict_beam`, only those among the first beam_size are, but also those that reach the length
///   limit. Then a beam of one ends with the first of them, as greedy search does.
/// - Of the others, the first beam_size stay live, or none if `SearchOptions::early_stopping` says
///   so.
///
/// The result is the finished hypotheses by score. If the length limit leaves too few of them, live
/// ones, by score, fill it up.
class Beam {
 public:
  /// A live hypothesis.
  struct Live {
    std::vector<std::int32_t> ids;  ///< without BOS
    double log_prob = 0.0;
    std::int64_t parent = 0;  ///< its index among the live hypotheses of the previous step
    double coverage = 0.0;
  };

  /// Starts with the empty hypothesis. \param max_length in tokens, EOS included; at least 1
  Beam(const SearchOptions& options, std::int64_t max_length, std::int64_t eos);

  /// Performs one step. \param extensions best first, at most 2 * beam_size
  void advance(std::span<const Extension> extensions);

  /// In order of log-probability, at most beam_size. Hypotheses that can no longer enter `result()`
  /// are dropped: n_best finished ones score at least as high as anything that may follow from
  /// them. As they are the last in this order, dropping them never displaces another hypothesis.
  const std::vector<Live>& live() const { return live_; }

  /// True if further steps cannot change `result()`: the length limit is reached, or no live
  /// hypothesis could enter it.
  bool done() const;

  /// The n_best first of `found()`; fewer only if the vocabulary yields no more.
  std::vector<Hypothesis> result() const;

  /// All hypotheses: finished ones by score, then, by score as well, the live ones that the length
  /// limit has stopped.
  std::vector<Hypothesis> found() const;

 private:
  void drop_hopeless();
  bool stops_early(std::span<const Extension> extensions) const;
  /// Whether beam_size hypotheses are finished and no live one would be among the beam_size best if
  /// its log-probability were divided by the larger penalty of its present length and of `length`.
  bool none_can_enter(std::int64_t length) const;

  SearchOptions options_;
  std::int64_t max_length_;
  std::int64_t eos_;
  std::int64_t length_ = 0;  ///< steps so far
  std::vector<Live> live_;
  std::vector<Hypothesis> finished_;  ///< by score, best first; ties in order of completion
};

}  // namespace dragoman
