#pragma once

#include "dragoman/model/transformer.h"
#include "dragoman/run/checkpoint_writer.h"
#include "dragoman/run/run_files.h"
#include "dragoman/run/tensor_file.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace dragoman {

/// A trained model with all that is needed to use it.
struct LoadedRun {
  RunOptions options;
  Transformer model{nullptr};  ///< on the CPU, in evaluation mode
  Vocabulary vocabulary;
  std::int64_t step = 0;             ///< updates done
  std::filesystem::path checkpoint;  ///< the folder it was read from
};

/// Loads one checkpoint of a translation run. The parameters and errors are those of `open_run`.
LoadedRun load_run(const std::filesystem::path& run_dir, const std::string& which = "",
                   const std::vector<std::string>& overrides = {},
                   AttentionSwap swap = AttentionSwap::equal);

/// The same from files that are open. \throws FormatError if the weights are not those of the
/// options
LoadedRun load_run(const RunFiles& files);

/// What a model file stores besides the weights, and how they are stored.
struct ModelFile {
  ModelKind kind = ModelKind::translation;
  WeightType weights = WeightType::float32;  ///< of the matrices
  Metadata more = {};                        ///< further metadata
};

/// Writes what `load_run` reads: model.safetensors, config.json and the tokenizers. The model file
/// names the tokenizers' checksums, so that it is never used with others.
/// \param weights all parameters and buffers of the model, as `parameters_of` names them
void write_model(CheckpointWriter& writer, const RunOptions& options, const NamedTensors& weights,
                 const Vocabulary& vocabulary, const ModelFile& file = {});

/// The same of a model as it is.
void write_model(CheckpointWriter& writer, const RunOptions& options,
                 const torch::nn::Module& model, const Vocabulary& vocabulary,
                 const ModelFile& file = {});

}  // namespace dragoman
