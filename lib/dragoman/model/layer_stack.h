#pragma once

#include <torch/nn.h>

#include <cstdint>
#include <vector>

namespace dragoman {

/// Registers `count` layers under `layers.0`, `layers.1` and so on, and gives them back typed.
/// \param attention each layer's
/// \param more behind them, the same for all layers
template <typename Layer, typename Options, typename Attentions, typename... More>
std::vector<Layer> register_layers(torch::nn::Module& owner, std::int64_t count,
                                   const Options& options, const Attentions& attention,
                                   const More&... more) {
  const auto list = owner.register_module("layers", torch::nn::ModuleList());
  std::vector<Layer> layers;
  for (std::int64_t i = 0; i < count; ++i) {
    layers.emplace_back(options, attention.of_layer(i), more...);
    list->push_back(layers.back());
  }
  return layers;
}

}  // namespace dragoman
