#pragma once

#include "dragoman/convert/imported_run.h"
#include "dragoman/run/checkpoint_store.h"
#include "dragoman/run/loaded_run.h"
#include "dragoman/text/language_tags.h"

#include <filesystem>

namespace dragoman {

/// Creates a run with one checkpoint of a model that `transformers` has written: a
/// MarianMT (OPUS-MT), M2M100 or NLLB folder. What the run cannot express is refused by its name
/// and value.
/// \param languages that an M2M100 or NLLB run translates between unless others are named
/// \throws DataError if a file is missing or the run's folder is not empty; FormatError if the
///     model is damaged or cannot be expressed; OptionsError for languages that the model does not
///     have
Checkpoint import_huggingface(const std::filesystem::path& model_dir, const Languages& languages,
                              const ImportedRun& run);

/// Writes a run as a MarianMT folder: weights, configuration, search options and tokenizers. A
/// model with the paper's interleaved sinusoids has its features put into another order, which
/// changes nothing.
/// \throws DataError if `out_dir` is not empty or cannot be written; OptionsError naming the option
///     that MarianMT does not have
void export_huggingface(const LoadedRun& run, const std::filesystem::path& out_dir);

/// Whether the folder has a config.json with a model_type, as `transformers` writes it.
bool is_huggingface(const std::filesystem::path& model_dir);

}  // namespace dragoman
