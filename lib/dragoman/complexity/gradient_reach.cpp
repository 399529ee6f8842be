#include "dragoman/complexity/gradient_reach.h"

#include "dragoman/complexity/layer_probe.h"
#include "dragoman/core/concat.h"
#include "dragoman/report/text_table.h"
#include "dragoman/tensor/thread_count.h"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <torch/csrc/autograd/autograd.h>

#include <cmath>
#include <cstdio>

namespace dragoman {

namespace {

at::Tensor random_positions(const LayerSizes& sizes) {
  return at::randn({1, sizes.length, sizes.d_model}, at::kDouble).set_requires_grad(true);
}

/// Frobenius norm of dy_n/dx_j for each position j, [length].
at::Tensor gradient_norms(const at::Tensor& y, const at::Tensor& x) {
  const auto last = y.select(1, y.size(1) - 1).squeeze(0);
  auto squares = at::zeros({x.size(1)}, at::kDouble);
  for (std::int64_t feature = 0; feature < last.size(0); ++feature)
    squares += torch::autograd::grad({last[feature]}, {x}, {}, /*retain_graph=*/true)[0]
                   .squeeze(0)
                   .square()
                   .sum(1);
  return squares.sqrt();
}

/// Whether the last output depends on the first input: by the gradient of its features in random
/// proportions, which cancel in none but constructed weights.
bool reaches_first(const at::Tensor& y, const at::Tensor& x) {
  const auto last = y.select(1, y.size(1) - 1).squeeze(0);
  const auto proportions = at::randn(last.sizes(), at::detail::createCPUGenerator(1), at::kDouble);
  const auto gradient = torch::autograd::grad({(last * proportions).sum()}, {x}, {},
                                              /*retain_graph=*/true)[0];
  return gradient.select(1, 0).abs().max().item<double>() > 0.0;
}

std::vector<double> norms_by_distance(LayerPart part, const LayerSizes& sizes) {
  const auto x = random_positions(sizes);
  const auto norms =
      gradient_norms(make_layer_probe(part, sizes, at::kDouble).run(x), x).flip(0).contiguous();
  return {norms.const_data_ptr<double>(), norms.const_data_ptr<double>() + norms.numel()};
}

std::string scientific(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1e", value);
  return value == 0.0 ? "0" : text;
}

/// 1, 2, 4 and so on, and the largest.
std::vector<std::size_t> shown_distances(std::size_t count) {
  std::vector<std::size_t> distances;
  for (std::size_t distance = 1; distance + 1 < count; distance *= 2) distances.push_back(distance);
  distances.push_back(count - 1);
  return distances;
}

}  // namespace

std::int64_t layers_until_gradient(LayerPart part, const LayerSizes& sizes, std::int64_t at_most) {
  const at::AutoGradMode with_graph(true);
  const auto x = random_positions(sizes);
  auto y = x;
  for (std::int64_t layers = 1; layers <= at_most; ++layers) {
    y = make_layer_probe(part, sizes, at::kDouble).run(y);
    if (reaches_first(y, x)) return layers;
  }
  return 0;
}

GradientReach measure_reach(const std::vector<LayerPart>& parts, const LayerSizes& sizes) {
  const at::AutoGradMode with_graph(true);
  const ThreadCount one_thread(1);
  GradientReach reach{.sizes = sizes, .parts = {}};
  at::manual_seed(1);
  for (const auto part : parts) {
    const auto computed = layers_to_span_sequence(part, sizes);
    reach.parts.push_back({.part = part,
                           .layers_computed = computed,
                           .layers_measured = layers_until_gradient(part, sizes, computed + 1),
                           .gradient_norms = norms_by_distance(part, sizes)});
  }
  return reach;
}

std::string GradientReach::text() const {
  std::vector<std::string> heading = {"part", "path", "layers", "measured"};
  const auto distances = shown_distances(static_cast<std::size_t>(sizes.length));
  for (const auto distance : distances) heading.push_back(concat("t = ", distance));
  std::vector<std::vector<std::string>> rows = {heading};
  for (const auto& reached : parts) {
    std::vector<std::string> row = {name_of(reached.part), formulas_of(reached.part).path,
                                    std::to_string(reached.layers_computed),
                                    std::to_string(reached.layers_measured)};
    for (const auto distance : distances)
      row.push_back(scientific(reached.gradient_norms[distance]));
    rows.push_back(std::move(row));
  }
  return concat("n = ", sizes.length, " positions, d = ", sizes.d_model, ", r = ", sizes.radius,
                ", k = ", sizes.kernel,
                "; layers until dy_n/dx_1 is not 0, and the norm of dy_n/dx_(n-t) of one layer\n",
                text_table(rows));
}

nlohmann::json GradientReach::json() const {
  nlohmann::json out{{"length", sizes.length},
                     {"d_model", sizes.d_model},
                     {"radius", sizes.radius},
                     {"kernel", sizes.kernel},
                     {"parts", nlohmann::json::object()}};
  for (const auto& reached : parts)
    out["parts"][name_of(reached.part)] = {{"path", path_length(reached.part, sizes)},
                                           {"layers_computed", reached.layers_computed},
                                           {"layers_measured", reached.layers_measured},
                                           {"gradient_norms", reached.gradient_norms}};
  return out;
}

Plot GradientReach::plot() const {
  Plot plot{.title = "Gradient of the last output by input distance, one layer",
            .x_label = "distance t",
            .y_label = "norm of dy_n/dx_(n-t)",
            .log_y = true,
            .series = {}};
  for (const auto& reached : parts) {
    PlotSeries series{.name = name_of(reached.part), .x = {}, .y = {}};
    for (std::size_t distance = 0; distance < reached.gradient_norms.size(); ++distance) {
      const double norm = reached.gradient_norms[distance];
      series.x.push_back(static_cast<double>(distance));
      series.y.push_back(norm > 0.0 ? norm : std::nan(""));  // out of reach: no point
    }
    plot.series.push_back(std::move(series));
  }
  return plot;
}

}  // namespace dragoman
