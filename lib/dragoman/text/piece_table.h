#pragma once

#include "dragoman/text/special_ids.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

/// What another system does with text before SentencePiece sees it.
enum class TextRules {
  plain,  ///< cuts it at the names of `PieceTable::literals`
  /// The same; then, a part that begins with ">>" and has a later "<<" is one piece up to there.
  marian,
  tags,  ///< cuts one such name off its front
};

/// The vocabulary of another system, where ids do not follow from the SentencePiece model: pieces
/// are looked up by name, and a name that is missing is the unknown piece.
struct PieceTable {
  TextRules rules = TextRules::plain;
  std::vector<std::string> pieces = {};     ///< by id; no name twice
  SpecialIds special = {};                  ///< pad and BOS may be one id
  std::vector<std::int32_t> prefix = {};    ///< begins every text
  std::vector<std::int32_t> literals = {};  ///< pieces whose names in a text stand for themselves
  std::vector<std::int32_t> not_text = {};  ///< further ids that decoding skips: languages
  bool source_eos = true;                   ///< EOS ends a source
  /// Their tokens, one of which begins every text; most have none.
  LanguageIds languages = {};

  /// \throws FormatError "PLACE: fact; remedy" if a name occurs twice or an id has no piece
  void validate(const std::string& place) const;
};

/// The bytes of a tokenizer: the table, as JSON, and the SentencePiece model behind it.
std::string with_piece_table(const PieceTable& table, std::string_view sentencepiece);

/// The parts of such bytes.
struct TokenizerParts {
  std::optional<PieceTable> table;  ///< none: the bytes are a SentencePiece model alone
  std::string_view sentencepiece;   ///< a view of the bytes
};

/// \throws FormatError "PLACE: fact; remedy" if the table is damaged
TokenizerParts tokenizer_parts(std::string_view bytes, const std::string& place);

/// A part of a text: for SentencePiece, or one piece by its name.
struct TextPart {
  std::string_view text;
  bool is_piece = false;
};

/// The tag ">>de<<" that `text` begins with, as Marian's rules find it; empty = none.
std::string_view leading_tag(std::string_view text);

/// Cuts a text as the rules say. The parts are views of it, none of them empty.
std::vector<TextPart> text_parts(std::string_view text, const PieceTable& table);

}  // namespace dragoman
