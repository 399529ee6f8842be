#pragma once

#include "dragoman/convert/ctranslate2_config.h"
#include "dragoman/text/language_tags.h"
#include "dragoman/text/tokenizer.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <optional>

namespace dragoman {

/// How the ids of a CTranslate2 model are found.
struct CTranslate2Tokens {
  std::optional<Vocabulary> tokenizers;  ///< none = those that lie in the folder
  Languages languages;                   ///< of a model of many; empty = none is named
  std::optional<bool> source_eos;        ///< whether EOS ends sources; none = as the model tells
  std::int64_t source_rows = 0;          ///< of the embeddings
  std::int64_t target_rows = 0;
  bool joint_embedding = false;   ///< both sides have one embedding
  bool starts_from_token = true;  ///< the decoder reads the start token, not zeros
};

/// The tokenizers of a run, and where the rows of its embeddings stand in the file.
struct CTranslate2Vocabulary {
  Vocabulary vocabulary;
  at::Tensor source, target;  ///< [pieces] int64: the row of each id
};

/// Reads shared_vocabulary, or source_vocabulary and target_vocabulary, .json or .txt. Where a
/// tokenizer has the same pieces, the run's ids are the tokenizer's; else the tokenizer only splits
/// text, and ids are those of the vocabulary.
/// \throws DataError if a file is missing; FormatError if a vocabulary is damaged, does not fit the
///     embeddings, or lacks a token that the configuration names; OptionsError naming a language
///     that it lacks
CTranslate2Vocabulary read_ctranslate2_vocabulary(const std::filesystem::path& model_dir,
                                                  const CTranslate2Config& config,
                                                  const CTranslate2Tokens& tokens);

}  // namespace dragoman
