#pragma once

#include "dragoman/analysis/head_place.h"
#include "dragoman/run/loaded_run.h"
#include "dragoman/text/example.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace dragoman {

/// The quality of a model with some heads pruned.
struct PrunedQuality {
  double fraction = 0.0;  ///< share of all heads that were removed
  std::size_t heads = 0;  ///< number removed
  std::int64_t parameters = 0;
  std::vector<double> bleu = {};                  ///< one per order tried
  std::vector<double> chrf = {};                  ///< likewise
  std::vector<double> sentences_per_second = {};  ///< in beam search on this machine, likewise
  /// CPU milliseconds that scoring one reference takes, likewise, in the fastest of three passes:
  /// the cost of the pass alone, while a search takes longer, too, where a damaged model does not
  /// end its translations.
  std::vector<double> scoring_ms = {};

  double mean_bleu() const;
};

/// How translation quality drops as heads are pruned, least important by gradient first, compared
/// with random orders (Michel, Levy and Neubig 2019, figure 3).
struct PruningCurve {
  std::size_t heads = 0;                     ///< of the whole model
  std::size_t sentences = 0;                 ///< number translated per point
  std::string bleu_tokenizer;                ///< "13a", or "char" for text without spaces
  std::vector<PrunedQuality> by_importance;  ///< one order
  std::vector<PrunedQuality> at_random;      ///< as many orders as seeds

  /// The largest share of heads that can be pruned by importance at a cost of at most `loss` BLEU.
  double free_share(double loss) const;

  std::string text() const;
  nlohmann::ordered_json json() const;
  std::string svg() const;  ///< mean quality by share, with the spread of the random orders
};

struct PruningCurveOptions {
  std::vector<double> fractions = {0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9};
  std::vector<std::uint64_t> seeds = {1, 2, 3};  ///< for the random orders
};

/// Actually prunes the model of `run` for each point, translates and scores.
/// \param order all heads, in pruning order
/// \param test text to translate and score
PruningCurve pruning_curve(const LoadedRun& run, std::span<const HeadPlace> order,
                           const std::vector<LinePair>& test, const PruningCurveOptions& options);

}  // namespace dragoman
