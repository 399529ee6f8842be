#pragma once

#include "dragoman/complexity/layer_part.h"
#include "dragoman/config/model_options.h"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <string_view>
#include <vector>

namespace dragoman::app {

/// Options for the sizes of a layer that is measured: --d-model, --heads, --radius, --kernel.
void add_layer_sizes(CLI::App& sub, LayerSizes& sizes);

/// \throws OptionsError if the heads do not divide d_model.
void check_heads(const LayerSizes& sizes);

/// From the shortest length, each twice the one before, and the longest.
/// \throws OptionsError if --min-length is more than --max-length
std::vector<std::int64_t> doubling_lengths(std::int64_t shortest, std::int64_t longest);

/// \param longest what `option` asks for
/// \throws OptionsError if the model has fewer positions
void expect_positions(const ModelOptions& model, std::int64_t longest, std::string_view option);

/// \param sequences measured at once, each of `sizes.length` positions
/// \param number_bytes of a number: 4 or 8
/// \throws OptionsError if the layers' weights and their attention need more memory than there is.
void expect_layer_memory(std::string_view command, const LayerSizes& sizes, std::int64_t sequences,
                         double number_bytes);

}  // namespace dragoman::app
