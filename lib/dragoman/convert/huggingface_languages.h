#pragma once

#include "dragoman/convert/huggingface.h"
#include "dragoman/convert/huggingface_config.h"
#include "dragoman/text/tokenizer.h"

#include <cstdint>
#include <filesystem>

namespace dragoman {

/// The tokenizers of an M2M100 or NLLB folder: pieces by sentencepiece.bpe.model; ids by vocab.json
/// or, without it, those of the model plus one; behind them the added tokens, at which texts are
/// cut. Languages are those of them that are listed as special tokens, or are special and look like
/// "__af__" or "afr_Latn"; without ids of their own, the listed ones follow the pieces.
/// \param languages of the texts unless others are named, else those of tokenizer_config.json and
///     `forced_bos_token_id`; without any, they must be named
/// \param rows of the embedding; those that no piece has are never chosen by a text
/// \throws DataError if a file is missing; FormatError if files contradict each other; OptionsError
///     if a language is not one of the model's
Vocabulary language_vocabulary(const std::filesystem::path& folder, const HuggingFaceConfig& config,
                               const Languages& languages, std::int64_t rows);

}  // namespace dragoman
