#pragma once

#include "dragoman/config/run_options.h"
#include "dragoman/convert/imported_run.h"
#include "dragoman/run/checkpoint_store.h"
#include "dragoman/run/tensor_file.h"
#include "dragoman/text/tokenizer.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

namespace dragoman {

/// Another system's model in the terms of this one.
struct ForeignModel {
  RunOptions options;
  Vocabulary vocabulary;
  NamedTensors tensors;                           ///< float32, under the names of `Transformer`
  std::string place;                              ///< the file of the weights, for messages
  std::map<std::string, std::string> files = {};  ///< of the run's folder: name -> content
};

/// A size of the decoder as the options have it: 0 if it is the encoder's. One that no model has
/// stays invalid.
std::int64_t decoder_size(std::int64_t encoder, std::int64_t decoder);

/// Refuses sizes that no model has, before so many parts are looked for or made, and layers with
/// more than 8 weights for each byte that there is, so that memory is bounded by the size of the
/// files.
/// \param place the file that tells the sizes
/// \param weights file of the weights, or the folder of such files
/// \throws FormatError "PLACE: fact; remedy"
void expect_possible(const ModelOptions& options, const std::string& place,
                     const std::filesystem::path& weights);

/// Creates a run with one checkpoint of that model, usable by all commands except resuming its
/// training: there is no optimizer state.
/// \param model_dir recorded as where it comes from
/// \throws DataError if the run's folder is not empty; FormatError if a tensor is missing, unknown,
///     of another shape or not finite, or the model has an option out of range; OptionsError for
///     the settings of `run`
Checkpoint write_imported_run(const ForeignModel& model, const std::filesystem::path& model_dir,
                              const ImportedRun& run);

}  // namespace dragoman
