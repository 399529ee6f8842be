#pragma once

#include "dragoman/run/checkpoint_writer.h"
#include "dragoman/storage/safetensors.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

/// Tensors by name: a model's weights, or the moments of its optimizer.
using NamedTensors = std::map<std::string, at::Tensor>;

/// All tensors of a safetensors file, copied, on the CPU.
/// \throws DataError, FormatError as SafetensorsFile does.
NamedTensors load_tensors(const std::filesystem::path& path);

/// The same of a file that is open.
NamedTensors load_tensors(const SafetensorsFile& file);

/// Writes tensors of any device into a file of a checkpoint. Equal tensors give equal bytes.
/// \throws DataError if it cannot be written.
void write_tensors(CheckpointWriter& writer, std::string_view name, const NamedTensors& tensors,
                   const Metadata& metadata = {});

/// The same as a standalone file, replaced atomically.
void save_tensors(const std::filesystem::path& path, const NamedTensors& tensors,
                  const Metadata& metadata = {});

/// A tensor that is made when its turn to be written comes, so that few are in memory at once.
struct LazyTensor {
  std::vector<std::int64_t> shape;
  std::function<at::Tensor()> make;
};

/// The same as float32. \throws ContractError if one has not the shape that was announced
void save_lazy_tensors(const std::filesystem::path& path,
                       const std::map<std::string, LazyTensor>& tensors,
                       const Metadata& metadata = {});

}  // namespace dragoman
