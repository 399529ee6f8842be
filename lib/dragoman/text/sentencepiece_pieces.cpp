#include "dragoman/text/sentencepiece_pieces.h"

#include "dragoman/core/error.h"
#include "dragoman/text/model_check.h"

#include <sentencepiece_processor.h>

namespace dragoman {

std::vector<std::string> sentencepiece_pieces(std::string_view model, const std::string& place) {
  check_sentencepiece_model(model, place);
  sentencepiece::SentencePieceProcessor processor;
  if (!processor.LoadFromSerializedProto(model).ok())
    throw FormatError(concat(place, ": is not a usable SentencePiece model; get the file again"));
  std::vector<std::string> pieces;
  for (int id = 0; id < processor.GetPieceSize(); ++id) pieces.push_back(processor.IdToPiece(id));
  return pieces;
}

}  // namespace dragoman
