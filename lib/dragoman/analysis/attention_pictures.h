#pragma once

#include "dragoman/report/attention_map.h"
#include "dragoman/run/loaded_run.h"
#include "dragoman/text/example.h"

#include <span>
#include <vector>

namespace dragoman {

/// All attention weights of each pair under teacher forcing. Decoder rows are labelled with the
/// piece being predicted, columns of its self-attention with the pieces read, BOS first. Kinds of
/// attention that the model lacks are omitted.
/// \param pairs with an empty target, only the encoder is shown
std::vector<AttentionPicture> attention_pictures(const LoadedRun& run,
                                                 std::span<const LinePair> pairs);

}  // namespace dragoman
