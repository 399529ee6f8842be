#pragma once

#include "dragoman/config/model_options.h"
#include "dragoman/model/vocabulary_sizes.h"

#include <ostream>

namespace dragoman::app {

/// Prints a model's parameters by part, with and without biases, and its totals for each sharing
/// of the vocabulary matrices that these vocabularies allow.
void write_parameter_table(std::ostream& out, const ModelOptions& options,
                           const VocabularySizes& vocabulary);

}  // namespace dragoman::app
