#pragma once

#include "dragoman/config/search_options.h"
#include "dragoman/search/hypothesis.h"

#include <cstdint>
#include <span>
#include <vector>

namespace dragoman {

/// A live hypothesis of one sentence and a token that may follow it.
struct Extension {
  std::int64_t beam = 0;   ///< which of `Beams::live()`
  std::int64_t token = 0;
  double log_prob = 0.0;   ///< nats, of the hypothesis with this token
  double coverage = 0.0;   ///< beta times its log coverage (Wu et al. 2016), at most 0
};

/// The hypotheses of one sentence (section 6.1), without the model: what lives, what is finished,
/// and when nothing can change any more.
///
/// Each step the 2 * beam_size best extensions count. Those that end with EOS are finished with
/// score log_prob / lp(length) + coverage; the first beam_size others live on. The result is ordered by
/// score; live hypotheses fill it up where fewer are finished at the length limit.
class Beams {
 public:
  /// A live hypothesis.
  struct Live {
    std::vector<std::int32_t> ids;  ///< without BOS
    double log_prob = 0.0;
    std::int64_t parent = 0;        ///< its place among the live ones one step ago
    double coverage = 0.0;
  };

  /// Starts with the empty hypothesis. \param max_length tokens, EOS included; at least 1
  Beams(const SearchOptions& options, std::int64_t max_length, std::int64_t eos);

  /// One step. \param extensions best first, at most 2 * beam_size
  void advance(std::span<const Extension> extensions);

  /// In order of log-probability, at most beam_size. Those that can no longer come into `result()`
  /// are left out: n_best finished ones score at least as high as anything that may follow. As they
  /// are the last ones in this order, no other hypothesis ever gives way to them.
  const std::vector<Live>& live() const { return live_; }

  /// Whether further steps cannot change `result()`: the length limit is reached, or nothing lives
  /// that could come into it.
  bool done() const;

  /// The n_best best hypotheses, best first; fewer only where the vocabulary gives no more.
  std::vector<Hypothesis> result() const;

  /// `result()`, then all other hypotheses that were found: finished ones by score, then the live
  /// ones that the length limit has stopped.
  std::vector<Hypothesis> found() const;

 private:
  void drop_hopeless();

  SearchOptions options_;
  std::int64_t max_length_;
  std::int64_t eos_;
  std::int64_t length_ = 0;  ///< steps so far
  std::vector<Live> live_;
  std::vector<Hypothesis> finished_;  ///< by score, best first; equal ones in order of their end
};

}  // namespace dragoman
