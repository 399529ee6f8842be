#pragma once

#include "dragoman/metrics/metric.h"

#include <string>
#include <vector>

namespace dragoman {

struct ChrfOptions {
  std::size_t character_order = 6;  ///< longest character n-gram, up to 100
  std::size_t word_order = 0;       ///< longest word n-gram, up to 100; 2 makes it chrF++
  std::size_t beta = 2;             ///< recall is weighted beta times as much as precision; 1 to
                                    ///< 100
  bool lowercase = false;
  bool white_space = false;  ///< count whitespace as characters
  bool epsilon = false;      ///< mean over all orders, an empty one counting 1e-16

  /// \throws OptionsError naming the first option out of range.
  void validate() const;
};

struct ChrfScore {
  double score = 0.0;  ///< 0 to 100
  std::string name;    ///< "chrF2", "chrF2++"
  std::string signature;
};

/// chrF (Popovic, 2015) and chrF++ (2017): F-score of character and word n-grams, with
/// sacreBLEU's rules and digits.
///
/// A segment's statistics are [n-grams of the hypothesis, n-grams of the reference, matches] for
/// each character order, then each word order, of the reference that scores best.
class Chrf : public Metric {
 public:
  /// \throws OptionsError if `options.validate()` does.
  explicit Chrf(const ChrfOptions& options = {});

  std::string name() const override;
  std::vector<SignatureField> signature_fields() const override;
  std::vector<double> segment(std::string_view hypothesis,
                              std::span<const std::string_view> references) const override;
  double score(std::span<const double> sums) const override;
  double score(std::span<const float> sums) const override;
  bool scores_in_single() const override { return true; }

  /// The characters whose n-grams are counted.
  std::u32string characters(std::string_view line) const;

 private:
  std::u32string prepared(std::string_view line) const;
  std::vector<double> compare(std::u32string_view hypothesis, std::u32string_view reference) const;

  ChrfOptions options_;
};

/// The score of a corpus: corpus_chrf(hypotheses, {references}).score.
/// \param references one or more streams, each as long as `hypotheses`
/// \throws DataError if there is nothing to score or lengths differ; OptionsError
ChrfScore corpus_chrf(const std::vector<std::string>& hypotheses,
                      const std::vector<std::vector<std::string>>& references,
                      const ChrfOptions& options = {});

}  // namespace dragoman
