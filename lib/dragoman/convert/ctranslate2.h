#pragma once

#include "dragoman/config/run_options.h"
#include "dragoman/run/checkpoint_store.h"
#include "dragoman/run/loaded_run.h"

#include <filesystem>
#include <optional>

namespace dragoman {

/// How weights are stored in an exported model.
enum class CTranslate2Weights {
  float32,
  int8,  ///< embeddings and linear maps by row: round(w * 127 / max|w|), with that scale
};

/// Writes a model in CTranslate2's format: model.bin, config.json, the vocabularies, and the
/// tokenizers' own files beside them. The folder is created atomically.
/// \throws DataError if `out_dir` is not empty or cannot be written; OptionsError naming the model
///     option that the format cannot represent
void export_ctranslate2(const LoadedRun& run, const std::filesystem::path& out_dir,
                        CTranslate2Weights weights = CTranslate2Weights::float32);

/// Creates `run_dir` as a run with one checkpoint of a CTranslate2 model's weights, usable by all
/// commands except resuming its training: there is no optimizer state.
/// \param tokenizer the SentencePiece models of the two sides; none = those that
///     `export_ctranslate2` left in the folder
/// \throws DataError if a file is missing or `run_dir` is not empty; FormatError if the model is
///     damaged, uses a feature that our Transformer lacks, or has other pieces than the tokenizers
Checkpoint import_ctranslate2(const std::filesystem::path& model_dir,
                              const std::optional<Vocabulary>& tokenizers,
                              const std::filesystem::path& run_dir);

}  // namespace dragoman
