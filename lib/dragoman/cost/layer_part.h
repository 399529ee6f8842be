#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dragoman {

/// Parts of networks that turn n vectors into n vectors. The first three are what self-attention does
/// between its projections.
enum class LayerPart {
  attention,     ///< every position sees all (section 3.2.1)
  local,         ///< each sees `radius` positions to each side
  linear,        ///< attention without softmax, by sums over all positions
  projections,   ///< the four maps of multi-head attention (section 3.2.2)
  feed_forward,  ///< two maps of each position by itself (section 3.3)
  recurrent,     ///< simple recurrent layer: h = tanh(W x + U h)
  lstm,          ///< long short-term memory, four gates
  convolution    ///< causal convolution over `kernel` positions
};

/// All of them, in the order above.
std::vector<LayerPart> layer_parts();

/// "attention", "feed_forward" and so on.
std::string name_of(LayerPart part);

/// Sizes of a layer, with the letters of the formulas.
struct LayerSizes {
  std::int64_t length = 512;    ///< n, positions
  std::int64_t d_model = 256;   ///< d, features of a position
  std::int64_t num_heads = 4;   ///< h
  std::int64_t radius = 32;     ///< r, positions seen to each side; local
  std::int64_t kernel = 3;      ///< k, positions read; convolution
  std::int64_t d_ff = 1024;     ///< features inside; feed_forward
};

/// What a part costs, as formulas of n, d, h, r, k and d_ff (table 1 of the paper).
struct CostFormulas {
  std::string multiply_adds;     ///< exact, of the products
  std::string sequential_steps;  ///< operations that have to wait for each other
  std::string path;              ///< operations between the first position's input and the last's output
  std::string memory;            ///< numbers that a forward pass holds beside its input, in order
};

CostFormulas formulas_of(LayerPart part);

/// Multiply-adds of the products of one forward pass over one sequence; those of the backward pass are
/// twice as many. For `local` those of the pairs inside the windows.
std::int64_t multiply_adds(LayerPart part, const LayerSizes& sizes);

std::int64_t sequential_steps(LayerPart part, const LayerSizes& sizes);

/// Operations, one behind the other, until the last position has heard of the first: layers, or, in a
/// recurrent layer, steps.
std::int64_t path_length(LayerPart part, const LayerSizes& sizes);

/// Layers of this part until the last position has heard of the first.
std::int64_t layers_until_heard(LayerPart part, const LayerSizes& sizes);

/// Numbers that a forward pass holds beside its input.
std::int64_t numbers_held(LayerPart part, const LayerSizes& sizes);

/// The length at which attention needs as many multiply-adds as its four projections: 2 d.
std::int64_t core_equals_projections(const LayerSizes& sizes);

/// The length at which attention without its projections needs as many as a simple recurrent layer: d.
std::int64_t core_equals_recurrent(const LayerSizes& sizes);

}  // namespace dragoman
