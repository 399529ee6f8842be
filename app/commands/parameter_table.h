#pragma once

#include "dragoman/config/model_options.h"
#include "dragoman/config/vocabulary_sizes.h"
#include "dragoman/storage/safetensors.h"

#include <cstdint>

namespace dragoman::app {

/// Prints a model's parameters by part, with and without biases, and its totals for each sharing
/// of the vocabulary matrices that these vocabularies allow.
void write_parameter_table(const ModelOptions& options, const VocabularySizes& vocabulary);

/// The numbers that a file of weights holds.
std::int64_t weight_count(const SafetensorsFile& weights);

/// Prints the numbers that a file of weights holds, by module, layer by layer.
void write_weight_table(const SafetensorsFile& weights);

}  // namespace dragoman::app
