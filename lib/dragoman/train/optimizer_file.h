#pragma once

#include "dragoman/run/checkpoint_writer.h"
#include "dragoman/train/adam.h"
#include "dragoman/train/flat_parameters.h"

#include <filesystem>

namespace dragoman {

/// Writes optimizer.safetensors: Adam's moments of each parameter.
/// \param trained if the checkpoint's model is an average, the weights being trained, like
///     `parameters.values()`; they are stored with the moments
void write_optimizer(CheckpointWriter& writer, const FlatParameters& parameters, Adam& adam,
                     const at::Tensor& trained = {});

/// Loads the moments from a checkpoint's folder. \param trained filled if not null
/// \throws FormatError if a tensor is missing or of another shape
void read_optimizer(const std::filesystem::path& checkpoint, const FlatParameters& parameters,
                    Adam& adam, at::Tensor* trained = nullptr);

}  // namespace dragoman
