#pragma once

#include "dragoman/run/checkpoint_store.h"
#include "dragoman/run/tensor_file.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace dragoman {

/// The mean of each tensor over several files of one model, summed in float64 and returned in the
/// files' own type. Tensors of integers must be equal in all files. Warns of models that are too
/// far apart to be averaged.
/// \param files at least one
/// \throws FormatError naming the file and tensor if names, shapes or types differ or a weight is
///     not finite; DataError if a file cannot be read.
NamedTensors average_tensors(const std::vector<std::filesystem::path>& files);

/// The newest `count` checkpoints of a run, or as many as there are. Untrained weights (step 0) are
/// excluded. \throws DataError if there is none.
std::vector<Checkpoint> last_checkpoints(const std::filesystem::path& run_dir, std::int64_t count);

/// One checkpoint of each of several runs, whose models have one form: converted models, several
/// fine-tuning runs from one model.
/// \param which as of `open_run`: empty = each run's best
/// \throws DataError if a run cannot be opened; OptionsError naming the option of the model in
///     which two differ
std::vector<Checkpoint> checkpoints_of_runs(const std::vector<std::filesystem::path>& run_dirs,
                                            const std::string& which);

/// Creates `out_dir` as a new run with one checkpoint: the averaged weights, and the configuration
/// and tokenizers of the newest of `checkpoints`. Its state.json lists what was averaged. There is
/// no optimizer state: such a run can translate but not resume training.
/// \param checkpoints of one form, at least one; each is verified first
/// \throws DataError if `out_dir` is not empty; FormatError if a checkpoint is damaged or they are
///     not of one model.
Checkpoint average_checkpoints(const std::vector<Checkpoint>& checkpoints,
                               const std::filesystem::path& out_dir);

}  // namespace dragoman
