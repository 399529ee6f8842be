#pragma once

#include "dragoman/convert/imported_run.h"
#include "dragoman/run/checkpoint_store.h"
#include "dragoman/text/language_tags.h"
#include "dragoman/text/tokenizer.h"

#include <filesystem>
#include <optional>

namespace dragoman {

/// A folder with one checkpoint of fairseq (.pt), its dictionaries dict.LANG.txt, and what it does
/// not tell.
struct FairseqSource {
  std::filesystem::path model_dir;
  /// The SentencePiece models of the two sides; none = those that lie in the folder under a common
  /// name, such as sentencepiece.bpe.model.
  std::optional<Vocabulary> tokenizers = {};
  Languages languages = {};  ///< endings of the dictionaries; empty = as the checkpoint tells
};

/// Creates a run with one checkpoint of a Transformer that fairseq has trained. What the
/// run cannot express is refused by its name and value; nothing that the checkpoint, a pickle,
/// names is run.
/// \throws DataError if a file is missing or the run's folder is not empty; FormatError if the
///     model is damaged or cannot be expressed
Checkpoint import_fairseq(const FairseqSource& source, const ImportedRun& run);

/// Whether the folder has a .pt file and a dict.LANG.txt.
bool is_fairseq(const std::filesystem::path& model_dir);

}  // namespace dragoman
