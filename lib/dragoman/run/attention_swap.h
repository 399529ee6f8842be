#pragma once

#include "dragoman/config/run_options.h"

#include <string>
#include <vector>

namespace dragoman {

/// Which attention may replace the one that the weights were trained with.
enum class AttentionSwap {
  equal,  ///< one that computes the same function
  any     ///< any, even if the weights were not trained with it
};

/// The options of a trained run with overrides ("search.beam_size=8"). Of the model's
/// options they may change only the attention: everything else is fixed by the weights.
/// \param option that gave the overrides, for messages
/// \throws OptionsError for another key of the model, and for an attention that computes another
///     function unless `swap` is `any`.
RunOptions override_trained(const RunOptions& trained, const std::vector<std::string>& overrides,
                            AttentionSwap swap, const std::string& option = "--set");

}  // namespace dragoman
