#pragma once

#include "dragoman/checkpoint/tensor_file.h"

#include <filesystem>
#include <vector>

namespace dragoman {

/// The mean of each tensor over several files of one model, summed in float64 and given in the
/// files' own type. Integer tensors must be equal in all files.
/// \throws FormatError naming the file and tensor where names, shapes or types differ, or where a
///     weight is not finite; DataError if a file cannot be read.
NamedTensors average_tensors(const std::vector<std::filesystem::path>& files);

/// Makes OUT_DIR a run of its own that holds one checkpoint: the averaged weights, and the
/// configuration and tokenizers of the newest of `checkpoints`. Its state.json names what was
/// averaged. There is no optimizer state: such a run translates but does not go on training.
/// \param checkpoints folders of one run, in any order; each is verified first
/// \throws DataError if `out_dir` holds anything; OptionsError if `checkpoints` is empty;
///     FormatError if configurations or tokenizers differ.
void average_checkpoints(const std::vector<std::filesystem::path>& checkpoints,
                         const std::filesystem::path& out_dir);

}  // namespace dragoman
