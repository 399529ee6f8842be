#include "dragoman/complexity/layer_part.h"

#include <algorithm>

namespace dragoman {

namespace {

/// Number of pairs of a query and a key of its window within the sequence.
std::int64_t window_pairs(const LayerSizes& sizes) {
  const auto n = sizes.length, r = std::min(sizes.radius, n - 1);
  return n * (2 * r + 1) - r * (r + 1);
}

std::int64_t ceiling(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

}  // namespace

std::vector<LayerPart> layer_parts() {
  return {LayerPart::attention,    LayerPart::local,     LayerPart::linear, LayerPart::projections,
          LayerPart::feed_forward, LayerPart::recurrent, LayerPart::lstm,   LayerPart::convolution};
}

std::string name_of(LayerPart part) {
  switch (part) {
    case LayerPart::attention: return "attention";
    case LayerPart::local: return "local";
    case LayerPart::linear: return "linear";
    case LayerPart::projections: return "projections";
    case LayerPart::feed_forward: return "feed_forward";
    case LayerPart::recurrent: return "recurrent";
    case LayerPart::lstm: return "lstm";
    case LayerPart::convolution: return "convolution";
  }
  return {};
}

CostFormulas formulas_of(LayerPart part) {
  switch (part) {
    case LayerPart::attention: return {"2 n^2 d", "1", "1", "h n^2 + n d"};
    case LayerPart::local: return {"2 (n(2r+1) - r(r+1)) d", "1", "(n-1)/r", "h n (2r+1) + n d"};
    case LayerPart::linear: return {"2 n d^2/h + n d", "1", "1", "d^2/h + n d"};
    case LayerPart::projections: return {"4 n d^2", "1", "none", "4 n d"};
    case LayerPart::feed_forward: return {"2 n d d_ff", "1", "none", "n d_ff + n d"};
    case LayerPart::recurrent: return {"2 n d^2", "n", "n", "n d"};
    case LayerPart::lstm: return {"8 n d^2", "n", "n", "n d"};
    case LayerPart::convolution: return {"k n d^2", "1", "(n-1)/(k-1)", "n d"};
  }
  return {};
}

std::int64_t multiply_adds(LayerPart part, const LayerSizes& sizes) {
  const auto n = sizes.length, d = sizes.d_model;
  switch (part) {
    case LayerPart::attention: return 2 * n * n * d;
    case LayerPart::local: return 2 * window_pairs(sizes) * d;
    case LayerPart::linear: return 2 * n * d * (d / sizes.num_heads) + n * d;
    case LayerPart::projections: return 4 * n * d * d;
    case LayerPart::feed_forward: return 2 * n * d * sizes.d_ff;
    case LayerPart::recurrent: return 2 * n * d * d;
    case LayerPart::lstm: return 8 * n * d * d;
    case LayerPart::convolution: return sizes.kernel * n * d * d;
  }
  return 0;
}

std::int64_t length_exponent(LayerPart part) { return part == LayerPart::attention ? 2 : 1; }

std::int64_t sequential_steps(LayerPart part, const LayerSizes& sizes) {
  return part == LayerPart::recurrent || part == LayerPart::lstm ? sizes.length : 1;
}

std::int64_t path_length(LayerPart part, const LayerSizes& sizes) {
  return part == LayerPart::recurrent || part == LayerPart::lstm
             ? sizes.length
             : layers_to_span_sequence(part, sizes);
}

std::int64_t layers_to_span_sequence(LayerPart part, const LayerSizes& sizes) {
  const auto distance = sizes.length - 1;
  switch (part) {
    case LayerPart::local: return ceiling(distance, sizes.radius);
    case LayerPart::convolution: return ceiling(distance, sizes.kernel - 1);
    case LayerPart::projections:
    case LayerPart::feed_forward: return 0;  // never
    default: return 1;
  }
}

std::int64_t numbers_held(LayerPart part, const LayerSizes& sizes) {
  const auto n = sizes.length, d = sizes.d_model, h = sizes.num_heads;
  switch (part) {
    case LayerPart::attention: return h * n * n + n * d;
    case LayerPart::local: return h * n * std::min(2 * sizes.radius + 1, n) + n * d;
    case LayerPart::linear: return d * d / h + n * d;
    case LayerPart::projections: return 4 * n * d;
    case LayerPart::feed_forward: return n * sizes.d_ff + n * d;
    default: return n * d;
  }
}

std::int64_t core_equals_projections(const LayerSizes& sizes) { return 2 * sizes.d_model; }

std::int64_t core_equals_recurrent(const LayerSizes& sizes) { return sizes.d_model; }

}  // namespace dragoman
