#include "dragoman/text/sentencepiece_model.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/text/model_check.h"

#include <sentencepiece_processor.h>

// Beside sentencepiece, so that its own function is preferred if it has one.
namespace dragoman_older_sentencepiece {

/// For versions before 0.2.
template <typename Level>
void SetMinLogLevel(Level) {}

}  // namespace dragoman_older_sentencepiece

namespace dragoman {

namespace {

/// What is wrong with a model is in the status that it returns; it would write more to stderr.
void silence_sentencepiece() {
  using namespace sentencepiece;
  using namespace dragoman_older_sentencepiece;
  constexpr int fatal = 3;
  SetMinLogLevel(fatal);
}

}  // namespace

void load_sentencepiece(sentencepiece::SentencePieceProcessor& processor, std::string_view model,
                        const std::string& place) {
  silence_sentencepiece();
  const auto status = processor.LoadFromSerializedProto(model);
  if (!status.ok())
    throw FormatError(concat(place, ": is not a usable SentencePiece model: ", status.ToString(),
                             "; get the file again"));
}

std::vector<std::string> sentencepiece_pieces(std::string_view model, const std::string& place) {
  check_sentencepiece_model(model, place);
  sentencepiece::SentencePieceProcessor processor;
  load_sentencepiece(processor, model, place);
  std::vector<std::string> pieces;
  for (int id = 0; id < processor.GetPieceSize(); ++id) pieces.push_back(processor.IdToPiece(id));
  return pieces;
}

}  // namespace dragoman
