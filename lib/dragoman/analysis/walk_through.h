#pragma once

#include "dragoman/analysis/head_place.h"
#include "dragoman/analysis/step.h"
#include "dragoman/run/loaded_run.h"
#include "dragoman/text/example.h"

#include <cstdint>
#include <string>
#include <vector>

namespace dragoman {

/// One attention of a trained model for one sentence, from the layer's input to the head's
/// contribution to it (section 3.2).
struct WalkThrough {
  std::vector<Step> steps;  ///< X, Q, K, V, those of `weighing_steps`, output
  /// Largest difference between these weights and those of the model's own forward pass.
  double difference = 0.0;
};

/// \param pair its target is ignored for `AttentionPart::encoder`
/// \throws OptionsError if the model has no such attention, layer or head.
WalkThrough walk_through(const LoadedRun& run, const LinePair& pair, const HeadPlace& place);

}  // namespace dragoman
