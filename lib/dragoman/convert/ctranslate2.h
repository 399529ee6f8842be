#pragma once

#include "dragoman/config/enum_names.h"
#include "dragoman/config/run_options.h"
#include "dragoman/convert/imported_run.h"
#include "dragoman/run/checkpoint_store.h"
#include "dragoman/run/loaded_run.h"
#include "dragoman/text/language_tags.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <optional>

namespace dragoman {

/// How weights are stored in an exported model.
enum class CTranslate2Weights {
  float32,
  float16,   ///< all arrays
  bfloat16,  ///< all arrays
  int16,     ///< embeddings and linear maps: round(w * 1024 / max|w|) of each, with that scale
  int8,      ///< embeddings and linear maps by row: round(w * 127 / max|w|), with that scale
};
DRAGOMAN_ENUM_NAMES(CTranslate2Weights, {{CTranslate2Weights::float32, "float32"},
                                         {CTranslate2Weights::float16, "float16"},
                                         {CTranslate2Weights::bfloat16, "bf16"},
                                         {CTranslate2Weights::int16, "int16"},
                                         {CTranslate2Weights::int8, "int8"}})

/// Writes a model in CTranslate2's format: model.bin, config.json, the vocabularies, and the
/// tokenizers' own files beside them. What could not be completed is removed. Padding and rows that
/// only fill the matrix up get a bias of -10000 where the model has biases of the output, because
/// CTranslate2 may choose any token.
/// \throws DataError if `out_dir` is not empty or cannot be written; OptionsError naming the model
///     option that the format cannot represent, or a tensor that float16 cannot
void export_ctranslate2(LoadedRun run, const std::filesystem::path& out_dir,
                        CTranslate2Weights weights = CTranslate2Weights::float32);

/// A model folder of CTranslate2, and what it does not tell.
struct CTranslate2Source {
  std::filesystem::path model_dir;
  /// The SentencePiece models of the two sides; none = those that lie in the folder:
  /// tokenizer.model, or tokenizer.source.model and tokenizer.target.model, or source.spm and
  /// target.spm.
  std::optional<Vocabulary> tokenizers = {};
  Languages languages = {};             ///< of a multilingual model; empty = a model of one pair
  std::optional<bool> source_eos = {};  ///< whether EOS ends sources; none = as the model tells
};

/// Creates a run with one checkpoint of a CTranslate2 model's weights, usable by all
/// commands except resuming its training: there is no optimizer state. Every version of the format
/// and every type of numbers is read. A vocabulary map becomes RUN_DIR/vmap.txt.
/// \throws DataError if a file is missing or the run's folder is not empty; FormatError if the
///     model is damaged, uses a feature that our Transformer lacks, or has other pieces than the
///     tokenizers
Checkpoint import_ctranslate2(const CTranslate2Source& source, const ImportedRun& run);

/// Whether the folder has a model.bin and a vocabulary as CTranslate2 names it.
bool is_ctranslate2(const std::filesystem::path& model_dir);

}  // namespace dragoman
