#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sentencepiece {
class SentencePieceProcessor;
}

namespace dragoman {

/// Loads a model that `check_sentencepiece_model` has accepted, without a word on stderr.
/// \throws FormatError "PLACE: fact; remedy" if it is damaged otherwise
void load_sentencepiece(sentencepiece::SentencePieceProcessor& processor, std::string_view model,
                        const std::string& place);

/// The pieces of a SentencePiece model by id, whether or not it has those that `Tokenizer` needs.
/// \throws FormatError "PLACE: fact; remedy" if it is damaged
std::vector<std::string> sentencepiece_pieces(std::string_view model, const std::string& place);

}  // namespace dragoman
