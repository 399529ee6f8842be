#pragma once

#include "dragoman/config/run_options.h"
#include "dragoman/convert/imported_run.h"
#include "dragoman/run/checkpoint_store.h"
#include "dragoman/run/tensor_file.h"
#include "dragoman/text/tokenizer.h"

#include <filesystem>
#include <string>

namespace dragoman {

/// Another system's model in the terms of this one.
struct ForeignModel {
  RunOptions options;
  Vocabulary vocabulary;
  NamedTensors tensors;  ///< float32, under the names of `Transformer`
  std::string place;     ///< the file of the weights, for messages
};

/// Creates a run with one checkpoint of that model, usable by all commands except resuming its
/// training: there is no optimizer state.
/// \param model_dir recorded as where it comes from
/// \throws DataError if the run's folder is not empty; FormatError if a tensor is missing, unknown,
///     of another shape or not finite; OptionsError if the options contradict each other
Checkpoint write_imported_run(const ForeignModel& model, const std::filesystem::path& model_dir,
                              const ImportedRun& run);

}  // namespace dragoman
