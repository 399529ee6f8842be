#pragma once

#include "dragoman/config/enum_names.h"
#include "dragoman/core/error.h"

#include <nlohmann/json.hpp>

#include <cstdint>

namespace dragoman {

/// SentencePiece's kinds of model.
enum class TokenizerType { unigram, bpe };
DRAGOMAN_ENUM_NAMES(TokenizerType,
                    {{TokenizerType::unigram, "unigram"}, {TokenizerType::bpe, "bpe"}})

/// What SentencePiece does to characters before it finds pieces; translations are made of what it
/// leaves. Of spaces next to each other one is left in any case.
enum class Normalization {
  nfkc,     ///< Unicode's NFKC, and controls and invisible characters removed: U+FF0C becomes ','
  identity  ///< nothing
};
DRAGOMAN_ENUM_NAMES(Normalization,
                    {{Normalization::nfkc, "nfkc"}, {Normalization::identity, "identity"}})

/// How the subword vocabulary is learned.
struct TokenizerOptions {
  TokenizerType type = TokenizerType::unigram;
  std::int64_t vocab_size = 8000;   ///< pieces, the four special ones included
  bool hard_vocab_limit = false;    ///< refuse a text too small for vocab_size pieces
  bool joint = true;                ///< one vocabulary for source and target
  double character_coverage = 1.0;  ///< share of the text's characters that get a piece
  bool byte_fallback = false;       ///< write unknown characters as bytes
  Normalization normalization = Normalization::nfkc;
  bool lowercase = false;               ///< fold case before everything else; with nfkc only
  bool split_digits = false;            ///< each digit a piece of its own
  std::int64_t max_sentences = 800000;  ///< lines drawn from the text at most; 0 = all

  /// \throws OptionsError naming the first option out of range, or if lower-casing is asked for
  ///     without the normalisation that does it.
  void validate() const;
};

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(TokenizerOptions, type, vocab_size,
                                                hard_vocab_limit, joint, character_coverage,
                                                byte_fallback, normalization, lowercase,
                                                split_digits, max_sentences)

}  // namespace dragoman
