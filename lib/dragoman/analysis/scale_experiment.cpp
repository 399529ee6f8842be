#include "dragoman/analysis/scale_experiment.h"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace dragoman {

namespace {

/// The mean Frobenius norm of diag(p) - p p^T over the rows of `weights` [rows, keys].
double mean_jacobian(const at::Tensor& weights) {
  const auto squares = weights.square().sum(-1), cubes = weights.pow(3).sum(-1);
  return (squares - 2 * cubes + squares.square()).clamp_min(0).sqrt().mean().item<double>();
}

double mean_largest(const at::Tensor& weights) { return weights.amax(-1).mean().item<double>(); }

}  // namespace

ScaleFacts sample_scale(const ScaleSampling& sampling) {
  auto generator = at::detail::createCPUGenerator(sampling.seed);
  const auto rows = sampling.pairs / sampling.keys;
  auto scores = at::empty({rows, sampling.keys}, at::kDouble);
  constexpr std::int64_t chunk = 256;  // rows drawn at once
  for (std::int64_t row = 0; row < rows; row += chunk) {
    const auto count = std::min(chunk, rows - row);
    const std::vector<std::int64_t> shape = {count, sampling.keys, sampling.d_k};
    const auto q = at::randn(shape, generator, at::kDouble),
               k = at::randn(shape, generator, at::kDouble);
    scores.narrow(0, row, count).copy_((q * k).sum(-1));
  }
  const auto d_k = static_cast<double>(sampling.d_k);
  const auto scaled = scores / std::sqrt(d_k);
  const auto weights = scores.softmax(-1), scaled_weights = scaled.softmax(-1);
  return {.variance = scores.square().mean().item<double>(),
          .scaled_variance = scaled.square().mean().item<double>(),
          .standard_error = std::sqrt((2.0 + 6.0 / d_k) / static_cast<double>(scores.numel())),
          .largest_weight = mean_largest(weights),
          .scaled_largest_weight = mean_largest(scaled_weights),
          .jacobian = mean_jacobian(weights),
          .scaled_jacobian = mean_jacobian(scaled_weights)};
}

}  // namespace dragoman
