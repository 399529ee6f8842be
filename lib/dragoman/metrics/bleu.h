#pragma once

#include "dragoman/metrics/metric.h"
#include "dragoman/metrics/tokenizers.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dragoman {

/// What replaces the precision of an order without a match.
enum class BleuSmoothing {
  exponential,  ///< "exp": 1/2, 1/4, ... of a match for each such order in turn
  floor,        ///< "floor": `smooth_value` of a match
  add_k,        ///< "add-k": `smooth_value` is added to matches and totals of orders 2 and up
  none,         ///< "none": the score is then 0
};

/// The name in signatures and on the command line.
std::string smoothing_name(BleuSmoothing smoothing);

/// \throws OptionsError listing the known names.
BleuSmoothing smoothing_named(std::string_view name);

struct BleuOptions {
  BleuTokenizer tokenizer = BleuTokenizer::mteval_13a;
  bool lowercase = false;
  BleuSmoothing smoothing = BleuSmoothing::exponential;
  std::optional<double> smooth_value = {};  ///< in matches; default 0.1 for floor, 1 for add-k
  std::size_t max_order = 4;                ///< longest n-gram, tokens; 1 to 100
  bool effective_order = false;             ///< skip orders for which the hypothesis is too short

  /// \throws OptionsError naming the first option out of range.
  void validate() const;
};

struct BleuScore {
  double score = 0.0;                  ///< 0 to 100 (100.00000000000004 for a perfect corpus)
  std::vector<double> correct;         ///< [max_order] clipped matches; with add-k, k more
  std::vector<double> total;           ///< [max_order] n-grams of the hypotheses; likewise
  std::vector<double> precisions;      ///< [max_order] per cent, after smoothing
  double brevity_penalty = 0.0;        ///< 0 to 1
  std::int64_t hypothesis_length = 0;  ///< tokens
  std::int64_t reference_length = 0;   ///< tokens of the references nearest in length
  std::string signature;               ///< empty if the number of references is unknown

  /// hypothesis_length / reference_length, 0 if that is 0.
  double ratio() const;
  /// `81.8/66.7/42.9/20.0 (BP = 1.000 ratio = 1.000 hyp_len = 11 ref_len = 11)`
  std::string details() const;
};

/// BLEU (Papineni et al., 2002), with sacreBLEU's rules and digits.
///
/// A segment's statistics are [hypothesis length, reference length, correct of order 1..n,
/// total of order 1..n].
class Bleu : public Metric {
 public:
  /// \throws OptionsError if `options.validate()` does.
  explicit Bleu(const BleuOptions& options = {});

  /// The score with its parts.
  BleuScore evaluate(std::span<const double> sums) const;

  std::string name() const override { return "BLEU"; }
  std::vector<SignatureField> signature_fields() const override;
  std::vector<double> segment(std::string_view hypothesis,
                              std::span<const std::string_view> references) const override;
  double score(std::span<const double> sums) const override;
  double score(std::span<const float> sums) const override;
  bool scores_in_single() const override { return false; }
  std::string details(std::span<const double> sums) const override;

  /// The tokens whose n-grams are counted.
  std::vector<std::u32string> tokens(std::string_view line) const;

 private:
  BleuOptions options_;
};

/// The score of a corpus: corpus_bleu(hypotheses, {references}).score.
/// \param hypotheses detokenized lines
/// \param references one or more streams, each as long as `hypotheses`
/// \throws DataError if there is nothing to score or lengths differ; OptionsError
BleuScore corpus_bleu(const std::vector<std::string>& hypotheses,
                      const std::vector<std::vector<std::string>>& references,
                      const BleuOptions& options = {});

}  // namespace dragoman
