#pragma once

#include "dragoman/analysis/head_place.h"
#include "dragoman/text/example.h"
#include "dragoman/translate/run.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace dragoman {

/// A model that lost some of its heads.
struct PrunedQuality {
  double fraction = 0.0;      ///< of all heads, that went
  std::size_t heads = 0;      ///< that went
  std::int64_t parameters = 0;
  std::vector<double> bleu = {};   ///< one for each order tried
  std::vector<double> chrf = {};   ///< likewise
  std::vector<double> sentences_per_second = {};  ///< of beam search on this machine, likewise

  double mean_bleu() const;
};

/// How translation suffers as heads go, those first that matter least by their gradient, against
/// random orders (Michel, Levy and Neubig 2019, figure 3).
struct PruningCurve {
  std::size_t heads = 0;      ///< of the whole model
  std::size_t sentences = 0;  ///< translated for each point
  std::vector<PrunedQuality> by_importance;  ///< one order
  std::vector<PrunedQuality> at_random;      ///< as many orders as seeds

  /// The largest share of heads that goes, by importance, for at most `loss` BLEU.
  double free_share(double loss) const;

  std::string text() const;
  nlohmann::ordered_json json() const;
  std::string svg() const;  ///< the means against the share, with the spread of the random orders
};

struct PruningCurveOptions {
  std::vector<double> fractions = {0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9};
  std::vector<std::uint64_t> seeds = {1, 2, 3};  ///< of the random orders
};

/// Prunes the model of `run` in earnest for each point, translates and scores.
/// \param order all heads, those first that go first
/// \param test what is translated and scored
PruningCurve pruning_curve(const LoadedRun& run, std::span<const HeadPlace> order,
                           const std::vector<LinePair>& test, const PruningCurveOptions& options);

}  // namespace dragoman
