#pragma once

#include "dragoman/convert/huggingface_config.h"
#include "dragoman/text/tokenizer.h"

#include <cstdint>
#include <filesystem>

namespace dragoman {

/// The tokenizers of a MarianMT folder: pieces by source.spm and target.spm, ids by vocab.json, and
/// by target_vocab.json if the sides have vocabularies of their own; behind these, tokens that were
/// added to the tokenizer (`added_tokens`), at which texts are cut.
/// \param source_rows, target_rows of the embeddings: every id below has to have a piece
/// \throws DataError if a file is missing; FormatError if files contradict each other, or
///     translations start with a piece of texts
Vocabulary marian_mt_vocabulary(const std::filesystem::path& folder,
                                const HuggingFaceConfig& config, std::int64_t source_rows,
                                std::int64_t target_rows);

}  // namespace dragoman
