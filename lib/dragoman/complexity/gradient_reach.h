#pragma once

#include "dragoman/complexity/layer_part.h"
#include "dragoman/report/svg_plot.h"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace dragoman {

/// How far information travels through one part.
struct PartReach {
  LayerPart part = LayerPart::attention;
  std::int64_t layers_computed = 0;  ///< by formula: until the last position depends on the first
  std::int64_t layers_measured = 0;  ///< until dy_n/dx_1 is not 0
  /// Norm of dy_n/dx_(n-t) of one layer, by distance t from 0 to n - 1.
  std::vector<double> gradient_norms;
};

/// Path lengths, measured by how much of the last output's gradient reaches each input.
struct GradientReach {
  LayerSizes sizes;
  std::vector<PartReach> parts;

  std::string text() const;
  nlohmann::json json() const;
  Plot plot() const;  ///< norms by distance
};

/// The number of stacked layers of a part, each with its own weights, until the gradient of the
/// last output reaches the first input; 0 if it does not within `at_most`.
std::int64_t layers_until_gradient(LayerPart part, const LayerSizes& sizes, std::int64_t at_most);

/// Measures in float64 with random inputs and weights.
/// \param parts those that mix positions
GradientReach measure_reach(const std::vector<LayerPart>& parts, const LayerSizes& sizes);

}  // namespace dragoman
