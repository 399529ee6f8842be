#pragma once

#include "dragoman/experiment/results.h"

#include <string>
#include <vector>

namespace test {

/// A variant and its BLEU with each seed.
struct MadeUpVariant {
  std::string name;
  std::vector<double> bleu;
};

/// The result of an experiment in which only BLEU was measured.
inline dragoman::ExperimentResult synthetic_result(const std::vector<MadeUpVariant>& variants) {
  dragoman::ExperimentResult result;
  auto& experiment = result.experiment;
  experiment.name = "synthetic";
  experiment.title = "A title";
  experiment.columns = {"bleu"};
  experiment.seeds = {1, 2};
  for (const auto& variant : variants) {
    experiment.variants.push_back({.name = variant.name});
    for (std::size_t i = 0; i < variant.bleu.size(); ++i)
      result.trials.push_back({.variant = variant.name,
                               .seed = static_cast<std::int64_t>(i) + 1,
                               .run = "run-1",
                               .record = {.values = {{"bleu", variant.bleu[i]}}}});
  }
  return result;
}

}  // namespace test
