#pragma once

#include "dragoman/analysis/head_place.h"
#include "dragoman/run/loaded_run.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace dragoman {

/// The importance of a head to the loss ("Are Sixteen Heads Really Better than One?", Michel, Levy
/// and Neubig 2019). A gate of value 1 multiplies the head's output before W_O; its derivative of a
/// sentence's negative log-likelihood, without label smoothing, is computed from W_O and its
/// gradient.
struct HeadImportance : HeadPlace {
  std::vector<double> gate_grads;  ///< one per sentence, nats
  double importance = 0.0;         ///< the mean of their absolute values
  double normalised = 0.0;         ///< importance divided by the 2-norm over the attention's
                                   ///< heads
  std::optional<double> nll_without = {};  ///< nats over all sentences with this gate at 0, if
                                           ///< measured
};

/// All heads of a model, in the order of `attention_sublayers`.
struct ImportanceReport {
  std::vector<HeadImportance> heads;
  double nll = 0.0;  ///< nats over all sentences, no head removed
};

/// Whether to measure the loss without each head too, with one pass over the corpus per head.
enum class Ablation { none, each_head };

/// \param examples ids of the pairs, EOS included
ImportanceReport head_importance(Transformer model, std::span<const Example> examples,
                                 const SpecialIds& source_special, const SpecialIds& target_special,
                                 Ablation ablation);

/// All heads by ascending normalised importance, i.e. in pruning order.
std::vector<HeadImportance> pruning_order(const ImportanceReport& report);

}  // namespace dragoman
