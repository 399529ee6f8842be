#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

/// The pieces of a SentencePiece model by id, whether or not it has those that `Tokenizer` needs.
/// \throws FormatError "PLACE: fact; remedy" if it is damaged
std::vector<std::string> sentencepiece_pieces(std::string_view model, const std::string& place);

}  // namespace dragoman
