#pragma once

#include "dragoman/text/tokenizer.h"

#include <cstdint>
#include <filesystem>

namespace dragoman {

/// The tokenizer of one side of a Marian model.
/// \param vocabulary *.spm, whose ids are those of its pieces; or *.yml, *.json or a list of
///     pieces, which are then made by `spm`
/// \param spm the SentencePiece model beside a vocabulary that is none: source.spm or target.spm
/// \param rows of the embedding: further ids are dropped
/// \throws DataError if a file is missing; FormatError if it does not fit
Tokenizer marian_side(const std::filesystem::path& vocabulary, const std::filesystem::path& spm,
                      std::int64_t rows);

}  // namespace dragoman
