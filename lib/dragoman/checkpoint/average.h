#pragma once

#include "dragoman/checkpoint/tensor_file.h"
#include "dragoman/storage/checkpoint_store.h"

#include <cstdint>
#include <filesystem>
#include <vector>

namespace dragoman {

/// The mean of each tensor over several files of one model, summed in float64 and given in the
/// files' own type. Tensors of integers must be equal in all files.
/// \param files at least one
/// \throws FormatError naming the file and tensor where names, shapes or types differ, or where a
///     weight is not finite; DataError if a file cannot be read.
NamedTensors average_tensors(const std::vector<std::filesystem::path>& files);

/// The newest `count` checkpoints of a run, or as many as there are. Untrained weights (step 0) are
/// not among them. \throws DataError if there is none.
std::vector<Checkpoint> last_checkpoints(const std::filesystem::path& run_dir, std::int64_t count);

/// Makes `out_dir` a run of its own that holds one checkpoint: the averaged weights, and the
/// configuration and tokenizers of the newest of `checkpoints`. Its state.json names what was
/// averaged. There is no optimizer state: such a run translates but does not go on training.
/// \param checkpoints of one run, at least one; each is verified first
/// \throws DataError if `out_dir` holds anything; FormatError if a checkpoint is damaged or they
///     are not of one model.
Checkpoint average_checkpoints(const std::vector<Checkpoint>& checkpoints,
                               const std::filesystem::path& out_dir);

}  // namespace dragoman
