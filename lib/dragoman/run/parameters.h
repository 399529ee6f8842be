#pragma once

#include "dragoman/run/model_file.h"
#include "dragoman/run/tensor_file.h"

#include <torch/nn/module.h>

#include <filesystem>
#include <string>
#include <vector>

namespace dragoman {

/// A module's parameters and buffers by their path ("decoder.layers.0.feed_forward.inner.weight"),
/// sharing storage with the module. A matrix shared by several parts is listed once.
NamedTensors parameters_of(const torch::nn::Module& module);

/// Copies `tensors` into the module's parameters and buffers, on any device.
/// \param place named in messages, such as the file they come from
/// \throws FormatError if names are missing or unknown, if a shape or type differs, or if a
///     floating-point tensor holds NaN or infinity; the module is then unchanged.
void load_parameters(torch::nn::Module& module, const NamedTensors& tensors,
                     const std::string& place);

/// The same from a safetensors file, whose weights may be `quantized`.
void load_parameters(torch::nn::Module& module, const std::filesystem::path& path);

/// For a file of this program's that does not match its configuration.
inline constexpr const char* own_remedy = "use the config.json it was trained with";

/// As load_parameters, but the tensors themselves become those of the module, which is a new one on
/// the CPU: the model is in memory once. \param remedy for other names, shapes or types
void adopt_parameters(torch::nn::Module& module, const NamedTensors& tensors,
                      const std::string& place, const std::string& remedy = own_remedy);

/// The same from an open safetensors file, whose weights may be `quantized`.
void adopt_parameters(torch::nn::Module& module, const SafetensorsFile& file,
                      const std::string& place);

/// The result of loading some tensors of a file into a module.
struct PartialLoad {
  std::vector<std::string> taken;  ///< names of the module's tensors that were copied
  std::vector<std::string> kept;   ///< those left unchanged: not in the file, or of another shape
                                   ///< or type
  std::vector<std::string> left;   ///< names of the file's tensors that were not used

  std::string text() const;  ///< counts, and the first few names of `kept` and `left`
};

/// Copies those tensors of a safetensors file into the module whose name, shape and type match.
/// \throws FormatError if none match, or if a matching one holds NaN or infinity; the module is
///     then unchanged.
PartialLoad load_matching_parameters(torch::nn::Module& module, const std::filesystem::path& path);

/// \throws FormatError naming the first floating-point tensor that holds NaN or infinity.
void expect_finite(const NamedTensors& tensors, const std::string& place);

/// The same for a tensor of another program's file, by its name there.
void expect_finite_weights(const at::Tensor& weights, const std::string& place,
                           const std::string& name);

}  // namespace dragoman
