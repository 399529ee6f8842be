#pragma once

#include "dragoman/cost/layer_part.h"

#include <CLI/CLI.hpp>

namespace dragoman::app {

/// Options for the sizes of a layer that is measured: --d-model, --heads, --radius, --kernel.
void add_layer_sizes(CLI::App& sub, LayerSizes& sizes);

/// \throws OptionsError if the heads do not divide d_model.
void check_heads(const LayerSizes& sizes);

}  // namespace dragoman::app
