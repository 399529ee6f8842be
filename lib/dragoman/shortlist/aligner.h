#pragma once

#include "dragoman/config/vocabulary_sizes.h"
#include "dragoman/shortlist/bitext.h"
#include "dragoman/shortlist/candidate_pairs.h"
#include "dragoman/shortlist/diagonal_prior.h"

#include <cstdint>
#include <vector>

namespace dragoman {

/// The model of one direction: each produced piece is the translation of one of the given ones, or
/// of none.
struct AlignmentDirection {
  DiagonalPrior prior;
  std::vector<float> probability;  ///< of each candidate pair: P(produced | given)
  std::vector<float> of_none;      ///< P(produced | none)
};

/// Aligns the pieces of a text in both directions: IBM model 1 (Brown et al. 1993), then the model
/// with a diagonal prior (Dyer, Chahuneau and Smith 2013), both by expectation maximisation with a
/// Dirichlet prior of 0.01 on the lexical probabilities. Expected counts are added as whole
/// numbers of 2^-32, so that the result does not depend on the threads.
class Aligner {
 public:
  /// \param text must outlive this object; at least one pair
  Aligner(const Bitext& text, const VocabularySizes& sizes, std::int64_t threads);

  /// Runs all iterations.
  void train();

  /// How often the pieces of each candidate pair are aligned, both directions joined by
  /// `grow_diag_final_and`.
  std::vector<std::uint64_t> count_links() const;

  const CandidatePairs& pairs() const { return pairs_; }
  const AlignmentDirection& to_target() const { return to_target_; }
  const AlignmentDirection& to_source() const { return to_source_; }

 private:
  void iterate(bool fit_tension);

  const Bitext& text_;
  VocabularySizes sizes_;
  std::int64_t threads_;
  CandidatePairs pairs_;
  AlignmentDirection to_target_, to_source_;
  LengthCounts target_lengths_, source_lengths_;  // (produced, given)
};

}  // namespace dragoman
