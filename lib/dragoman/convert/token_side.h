#pragma once

#include "dragoman/text/tokenizer.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

/// How a token names a language.
enum class LanguageForm {
  none,    ///< it names none
  m2m100,  ///< __en__
  marian,  ///< >>en<<
  nllb     ///< eng_Latn
};
LanguageForm language_form(std::string_view token);

/// A list of tokens by id, with the file that it is from.
struct TokenList {
  std::filesystem::path file;
  std::vector<std::string> tokens;

  bool has(const std::string& token) const;

  /// \param what the token is for, in a message \throws FormatError if it is not in the list
  std::int64_t id(const std::string& token, const char* what) const;

  /// The token of a language: as M2M100 or Marian writes it, `__en__` or `>>en<<`, else the name
  /// itself, such as `eng_Latn` of NLLB.
  /// \throws OptionsError if there is none
  std::int32_t language_id(const std::string& language, const char* option) const;
};

/// A vocabulary made from a text may lack some pieces of its tokenizer, but not most. No text has
/// its padding.
/// \param name of the tokenizer, for messages
/// \param tell log how many are missing \throws FormatError if most of them are
void expect_pieces_of(const Tokenizer& tokenizer, const std::string& name, const TokenList& list,
                      bool tell = true);

/// One side of a model whose ids are those of a list, while SentencePiece makes the pieces.
struct TokenSide {
  TokenList list;
  SpecialIds special;  ///< bos -1: the model reads none on this side
  std::vector<std::int32_t> prefix = {};
  bool source_eos = true;

  /// The place in the list of each id of a tokenizer; empty unless the tokenizer has the same
  /// pieces, and special ones mean the same.
  std::vector<std::int64_t> rows_by(const Tokenizer& tokenizer) const;

  /// A tokenizer whose ids are those of the list; pieces that the list lacks become unknown.
  /// \param tell log how many these are
  /// \throws FormatError if it lacks most of them, or has a token twice
  Tokenizer with_table(const Tokenizer& tokenizer, bool tell = true) const;
};

/// \param format in which no text begins with tokens of its own, and every source ends with EOS
/// \throws OptionsError if the run's do otherwise
void expect_plain_texts(const Vocabulary& vocabulary, const char* format);

/// A SentencePiece model that only splits text: unlike `Tokenizer::load` it need not have pieces
/// for the begin and the end. \throws DataError if it cannot be read; FormatError if it is damaged
Tokenizer load_splitter(const std::filesystem::path& file);

/// The SentencePiece models that lie beside a model under a common name: those that this program
/// writes, or source.spm and target.spm, or one sentencepiece.bpe.model or sentencepiece.model.
/// \throws DataError if there are none; FormatError if one is damaged
Vocabulary tokenizers_beside(const std::filesystem::path& folder);

}  // namespace dragoman
