#pragma once

#include "dragoman/translate/translation.h"
#include "dragoman/translate/workers.h"

#include <cstdint>
#include <stop_token>
#include <vector>

namespace dragoman {

/// For each target piece the source piece that the last layer's encoder-decoder attention, averaged
/// over its heads (and over the models of an ensemble), attends to most when it is generated.
/// \return for each pair its links by target piece; EOS has none on either side
/// \throws Cancelled as `InferenceWorker::attention` does
std::vector<std::vector<AlignmentLink>> align(const EnsembleWorker& worker, Sentences sources,
                                              Sentences targets, std::int64_t source_eos,
                                              std::int64_t target_eos, const std::stop_token& stop);

}  // namespace dragoman
