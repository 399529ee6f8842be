#pragma once

#include <string>
#include <string_view>

namespace dragoman {

/// Reads the bytes of a SentencePiece model (a protocol buffer, `ModelProto`) and refuses what no
/// training writes and libraries take, or crash on: fields that end too late, pieces that are
/// empty, too long, twice there, not UTF-8 or with control characters, scores that are not finite,
/// byte pieces that name no byte, normalization tables that point outside themselves.
/// \throws FormatError "PLACE: fact; remedy"
void check_sentencepiece_model(std::string_view bytes, const std::string& place);

}  // namespace dragoman
