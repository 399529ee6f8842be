#pragma once

#include "dragoman/metrics/metric.h"
#include "dragoman/metrics/ter_tokens.h"

#include <string>
#include <vector>

namespace dragoman {

struct TerScore {
  double score = 0.0;  ///< edits per 100 reference tokens; lower is better, may exceed 100
  double edits = 0.0;  ///< shifts, insertions, deletions, substitutions
  double reference_length = 0.0;  ///< in tokens; the mean over several references
  std::string signature;
};

/// Translation edit rate (Snover et al., 2006), with sacreBLEU's rules and digits.
///
/// A segment's statistics are [minimum edits over the references, mean reference length].
class Ter : public Metric {
 public:
  explicit Ter(const TerOptions& options = {}) : options_(options) {}

  std::string name() const override { return "TER"; }
  std::vector<SignatureField> signature_fields() const override;
  std::vector<double> segment(std::string_view hypothesis,
                              std::span<const std::string_view> references) const override;
  double score(std::span<const double> sums) const override;
  double score(std::span<const float> sums) const override;
  bool scores_in_single() const override { return true; }

 private:
  TerOptions options_;
};

/// The score of a corpus: corpus_ter(hypotheses, {references}).score.
/// \param hypotheses detokenized lines
/// \param references one or more streams, each as long as `hypotheses`
/// \throws DataError if there is nothing to score or lengths differ.
TerScore corpus_ter(const std::vector<std::string>& hypotheses,
                    const std::vector<std::vector<std::string>>& references,
                    const TerOptions& options = {});

}  // namespace dragoman
