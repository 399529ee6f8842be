#pragma once

#include "dragoman/run/checkpoint_store.h"

#include <filesystem>

namespace dragoman {

/// Creates `run_dir` as a run with one checkpoint of a Marian model: an OPUS-MT package, or any
/// folder with a decoder.yml, its model (.npz or .bin) and vocabularies (.spm, .yml, .json or a list).
/// What the run cannot express is refused by its name and value.
/// \throws DataError if a file is missing or `run_dir` is not empty; FormatError if the model is
///     damaged or cannot be expressed
Checkpoint import_marian(const std::filesystem::path& model_dir,
                         const std::filesystem::path& run_dir);

/// Whether the folder has a decoder.yml, or one file that ends so.
bool is_marian(const std::filesystem::path& model_dir);

}  // namespace dragoman
