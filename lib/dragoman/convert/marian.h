#pragma once

#include "dragoman/convert/imported_run.h"
#include "dragoman/run/checkpoint_store.h"

#include <filesystem>

namespace dragoman {

/// Creates a run with one checkpoint of a Marian model: an OPUS-MT package, any folder
/// with a decoder.yml, its model (.npz or .bin) and vocabularies (.spm, .yml, .json or a list), or
/// one of Firefox, whose shortlist becomes shortlist.bin in the run's folder.
/// What the run cannot express is refused by its name and value.
/// \throws DataError if a file is missing or the run's folder is not empty; FormatError if the
///     model is damaged or cannot be expressed
Checkpoint import_marian(const std::filesystem::path& model_dir, const ImportedRun& run);

}  // namespace dragoman
