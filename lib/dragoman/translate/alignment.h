#pragma once

#include "dragoman/model/transformer.h"
#include "dragoman/text/example.h"
#include "dragoman/translate/translation.h"

#include <cstdint>
#include <span>
#include <vector>

namespace dragoman {

/// For each target piece the source piece that the last layer's encoder-decoder attention, averaged
/// over its heads (and over the models of an ensemble), attends to most when it is generated.
/// \param sources, targets ids of the pairs, EOS included
/// \param source_special, target_special of the vocabularies
/// \return for each pair its links by target piece; EOS has none on either side
std::vector<std::vector<AlignmentLink>> align(std::span<const Transformer> models,
                                              std::span<const std::vector<std::int32_t>> sources,
                                              std::span<const std::vector<std::int32_t>> targets,
                                              const SpecialIds& source_special,
                                              const SpecialIds& target_special);

}  // namespace dragoman
