#pragma once

#include "dragoman/config/model_options.h"
#include "dragoman/convert/marian_weights.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace dragoman {

/// Rows of the vocabularies, source and target, as the options say. \throws FormatError
std::pair<std::int64_t, std::int64_t> marian_vocabulary_sizes(const MarianWeights& weights);

/// The model that the options of the file describe: Marian's own positions, epsilon and zero start.
/// \throws FormatError naming an option, with its value, that cannot be expressed
ModelOptions marian_model_options(const MarianWeights& weights);

/// Whether Marian's translator computes something else than its training and scoring, and so this
/// program: it normalises keys and values of the decoder's self-attention at the first position
/// only. `model.norm_later_keys=false` imitates it.
bool marian_translates_differently(const ModelOptions& model);

/// The number N, from 1 on, of the parameters `decoder_lN_...` of each decoder layer: layers that
/// are tied have the same. \throws FormatError
std::vector<std::int64_t> marian_decoder_layers(const MarianWeights& weights);

}  // namespace dragoman
