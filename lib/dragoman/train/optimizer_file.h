#pragma once

#include "dragoman/optimizer/adam.h"
#include "dragoman/optimizer/flat_parameters.h"
#include "dragoman/run/checkpoint_writer.h"
#include "dragoman/run/tensor_file.h"

#include <filesystem>

namespace dragoman {

/// What optimizer.safetensors consists of: each [size], of the weights' type, like
/// `FlatParameters::values()`.
struct OptimizerTensors {
  at::Tensor first_moment, second_moment;  ///< Adam's
  at::Tensor trained;  ///< if the checkpoint's model is an average, the weights being trained
};

/// The tensors of that file, by name: views.
NamedTensors optimizer_tensors(const FlatParameters& parameters, const OptimizerTensors& flat);

/// Writes it. \param tensors as `optimizer_tensors` names them
void write_optimizer(CheckpointWriter& writer, const NamedTensors& tensors);

/// Loads the moments from a checkpoint's folder. \param trained filled if not null
/// \throws FormatError if a tensor is missing or of another shape
void read_optimizer(const std::filesystem::path& checkpoint, const FlatParameters& parameters,
                    Adam& adam, at::Tensor* trained = nullptr);

}  // namespace dragoman
