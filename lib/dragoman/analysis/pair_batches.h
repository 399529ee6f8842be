#pragma once

#include "dragoman/data/batch.h"
#include "dragoman/text/example.h"
#include "dragoman/text/tokenizer.h"

#include <cstdint>
#include <span>
#include <vector>

namespace dragoman {

/// Groups pairs into batches of similar length, longest first.
/// \param batch_tokens padded positions per batch
std::vector<Batch> pair_batches(const Vocabulary& vocabulary, std::span<const LinePair> pairs,
                                std::int64_t batch_tokens = 4096);

/// The same for encoded pairs. \param source_special, target_special of the vocabularies
std::vector<Batch> pair_batches(std::span<const Example> examples, const SpecialIds& source_special,
                                const SpecialIds& target_special, std::int64_t batch_tokens = 4096);

}  // namespace dragoman
