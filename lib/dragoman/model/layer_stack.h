#pragma once

#include <torch/nn.h>

#include <cstdint>
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

}  // namespace dragoman
