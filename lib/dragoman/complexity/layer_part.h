#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dragoman {

/// Parts of networks that map n vectors to n vectors. The first three are the part of
/// self-attention between its projections.
enum class LayerPart {
  attention,     ///< every position attends to all (section 3.2.1)
  local,         ///< each attends to `radius` positions on each side
  linear,        ///< attention without softmax, by sums over all positions
  projections,   ///< the four maps of multi-head attention (section 3.2.2)
  feed_forward,  ///< two maps of each position separately (section 3.3)
  recurrent,     ///< simple recurrent layer: h = tanh(W x + U h)
  lstm,          ///< long short-term memory, four gates
  convolution    ///< causal convolution over `kernel` positions
};

/// All of them, in the order above.
std::vector<LayerPart> layer_parts();

/// "attention", "feed_forward" and so on.
std::string name_of(LayerPart part);

/// Sizes of a layer, with the symbols of the formulas.
struct LayerSizes {
  std::int64_t length = 512;   ///< n, positions
  std::int64_t d_model = 256;  ///< d, features per position
  std::int64_t num_heads = 4;  ///< h
  std::int64_t radius = 32;    ///< r, positions attended to on each side; local
  std::int64_t kernel = 3;     ///< k, positions read; convolution
  std::int64_t d_ff = 1024;    ///< inner features; feed_forward

  LayerSizes at_length(std::int64_t n) const {
    auto sizes = *this;
    sizes.length = n;
    return sizes;
  }
};

/// The cost of a part, as formulas in n, d, h, r, k and d_ff (table 1 of the paper).
struct CostFormulas {
  std::string multiply_adds;     ///< exact, of the matrix products
  std::string sequential_steps;  ///< operations that depend on each other
  std::string path;              ///< operations between the input of the first position and the
                                 ///< output of the last
  std::string memory;            ///< numbers that a forward pass stores besides its input, in order
};

CostFormulas formulas_of(LayerPart part);

/// Multiply-adds of the matrix products in one forward pass over one sequence; the backward pass
/// needs twice as many. For `local`, only pairs inside the windows count.
std::int64_t multiply_adds(LayerPart part, const LayerSizes& sizes);

/// The power of n in that, for long sequences: 2 of `attention`, 1 of the others.
std::int64_t length_exponent(LayerPart part);

std::int64_t sequential_steps(LayerPart part, const LayerSizes& sizes);

/// Sequential operations until the last position depends on the first: layers or, in a recurrent
/// layer, steps.
std::int64_t path_length(LayerPart part, const LayerSizes& sizes);

/// Layers of this part until the last position depends on the first.
std::int64_t layers_to_span_sequence(LayerPart part, const LayerSizes& sizes);

/// Numbers that a forward pass stores besides its input.
std::int64_t numbers_held(LayerPart part, const LayerSizes& sizes);

/// The length at which attention needs as many multiply-adds as its four projections: 2 d.
std::int64_t core_equals_projections(const LayerSizes& sizes);

/// The length at which attention without its projections needs as many as a simple recurrent layer:
/// d.
std::int64_t core_equals_recurrent(const LayerSizes& sizes);

}  // namespace dragoman
