#pragma once

#include <torch/nn.h>

#include <cstdint>
#include <functional>
#include <vector>

namespace dragoman {

/// Registers `count` layers as `layers.0`, `layers.1` and so on, and returns them typed.
/// \param make creates the layer with a given index
template <typename Make>
auto register_layers(torch::nn::Module& owner, std::int64_t count, const Make& make) {
  const auto list = owner.register_module("layers", torch::nn::ModuleList());
  std::vector<decltype(make(count))> layers;
  for (std::int64_t i = 0; i < count; ++i) {
    layers.push_back(make(i));
    list->push_back(layers.back());
  }
  return layers;
}

/// One layer of a stack: (its index, x, memory) -> x.
using RunLayer =
    std::function<at::Tensor(std::size_t layer, const at::Tensor& x, const at::Tensor& memory)>;

/// Runs a stack of layers in segments, between which the activations are kept for the backward
/// pass, which recomputes the rest (see `recomputed`).
/// \param count number of layers
/// \param segment layers per segment, at least 1
/// \param x [batch, len, d_model]
/// \param memory read by all layers, [batch, source_len, d_model]; undefined = none
/// \param run must own everything it uses, since the backward pass calls it
/// \return [batch, len, d_model]
at::Tensor run_in_segments(std::size_t count, std::int64_t segment, const at::Tensor& x,
                           const at::Tensor& memory, const RunLayer& run);

}  // namespace dragoman
