#include "dragoman/text/piece_decoder.h"

#include "dragoman/core/error.h"

#include <sentencepiece_processor.h>

#include <string_view>

namespace dragoman {

struct PieceDecoder::Model {
  sentencepiece::SentencePieceProcessor processor;
};

PieceDecoder::PieceDecoder(const Tokenizer& tokenizer) : model_(std::make_unique<Model>()) {
  if (!model_->processor.LoadFromSerializedProto(tokenizer.bytes()).ok())
    throw ContractError("piece decoder: the bytes of a tokenizer are no model");
}

PieceDecoder::~PieceDecoder() = default;

std::string PieceDecoder::decode(const std::vector<std::string>& pieces) const {
  const std::vector<std::string_view> names(pieces.begin(), pieces.end());
  auto text = model_->processor.DecodePieces(names);
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
  return text;
}

}  // namespace dragoman
