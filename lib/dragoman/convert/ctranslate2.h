#pragma once

#include "dragoman/config/run_options.h"
#include "dragoman/storage/checkpoint_store.h"
#include "dragoman/translate/run.h"

#include <filesystem>
#include <optional>

namespace dragoman {

/// How weights stand in an exported model.
enum class CTranslate2Weights {
  float32,
  int8,  ///< embeddings and linear maps by row: round(w * 127 / max|w|), with that scale
};

/// Writes a model as CTranslate2 reads it: model.bin, config.json, the vocabularies, and the
/// tokenizers' own files beside them. The folder appears at once and whole.
/// \throws DataError if `out_dir` holds anything or cannot be written; OptionsError naming the model
///     option that the format has no place for
void export_ctranslate2(const LoadedRun& run, const std::filesystem::path& out_dir,
                        CTranslate2Weights weights = CTranslate2Weights::float32);

/// Makes `run_dir` a run with one checkpoint of a CTranslate2 model's weights, for all commands but
/// going on with its training: there is no optimizer state.
/// \param tokenizer the SentencePiece models of the two sides; nothing = those that
///     `export_ctranslate2` left in the folder
/// \throws DataError if a file is missing or `run_dir` holds anything; FormatError if the model is
///     damaged, uses what a Transformer of ours cannot do, or has other pieces than the tokenizers
Checkpoint import_ctranslate2(const std::filesystem::path& model_dir,
                              const std::optional<Vocabulary>& tokenizers,
                              const std::filesystem::path& run_dir);

}  // namespace dragoman
