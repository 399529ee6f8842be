#pragma once

#include "dragoman/checkpoint/tensor_file.h"

#include <torch/nn/module.h>

#include <filesystem>
#include <string>

namespace dragoman {

/// A module's parameters and buffers by their place ("decoder.layers.0.feed_forward.inner.weight"),
/// sharing storage with the module. A matrix that several parts share is there once.
NamedTensors parameters_of(const torch::nn::Module& module);

/// Copies `tensors` into the module's parameters and buffers, on whatever device they are.
/// \param place named in messages, such as the file they come from
/// \throws FormatError if names are missing or unknown, if a shape or type differs, or if a
///     floating-point tensor holds NaN or infinity; the module is then as it was.
void load_parameters(torch::nn::Module& module, const NamedTensors& tensors,
                     const std::string& place);

/// The same from a safetensors file, whose weights may be `quantized`.
void load_parameters(torch::nn::Module& module, const std::filesystem::path& path);

/// \throws FormatError naming the first floating-point tensor that holds NaN or infinity.
void expect_finite(const NamedTensors& tensors, const std::string& place);

}  // namespace dragoman
