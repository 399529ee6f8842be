#pragma once

#include "dragoman/report/attention_map.h"
#include "dragoman/text/example.h"
#include "dragoman/translate/run.h"

#include <span>
#include <vector>

namespace dragoman {

/// All attention weights of each pair under teacher forcing. Rows of the decoder are named by the
/// piece that is being written, columns of its self-attention by what it has read, BOS first. What
/// the model's layers lack is left out.
/// \param pairs a blank target gives the encoder alone
std::vector<AttentionPicture> attention_pictures(const LoadedRun& run,
                                                 std::span<const LinePair> pairs);

}  // namespace dragoman
