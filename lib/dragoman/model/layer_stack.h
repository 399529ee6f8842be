#pragma once

#include <torch/nn.h>

#include <cstdint>
#include <vector>

namespace dragoman {

/// Registers `count` layers under `layers.0`, `layers.1` and so on, and gives them back typed.
/// \param attentions stacks, of which each layer gets its own
template <typename Layer, typename Options, typename... Stacks>
std::vector<Layer> register_layers(torch::nn::Module& owner, std::int64_t count,
                                   const Options& options, const Stacks&... attentions) {
  const auto list = owner.register_module("layers", torch::nn::ModuleList());
  std::vector<Layer> layers;
  for (std::int64_t i = 0; i < count; ++i) {
    layers.emplace_back(options, attentions.of_layer(i)...);
    list->push_back(layers.back());
  }
  return layers;
}

}  // namespace dragoman
