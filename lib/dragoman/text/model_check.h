#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

/// How a SentencePiece model segments text: numbers of `TrainerSpec.ModelType`.
enum class Segmentation { unigram = 1, bpe = 2, word = 3, character = 4 };

/// Facts about a SentencePiece model that its library does not report.
struct PieceFacts {
  Segmentation segmentation = Segmentation::unigram;
  std::vector<bool>
      is_normal;  ///< by id: text; not control, unknown, user-defined, unused or a byte
};

/// Reads the bytes of a SentencePiece model (a protocol buffer, `ModelProto`) and refuses what no
/// training writes but libraries accept, or crash on: fields that end too late, pieces that are
/// empty, too long, repeated, not UTF-8 or with control characters, scores that are not finite,
/// byte pieces that name no byte, normalization tables that point outside themselves.
/// \throws FormatError "PLACE: fact; remedy"
PieceFacts check_sentencepiece_model(std::string_view bytes, const std::string& place);

}  // namespace dragoman
