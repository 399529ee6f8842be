#include "dragoman/text/piece_decoder.h"

#include "support/catch.h"
#include "text/text_support.h"

namespace piece_decoder_test {

using namespace dragoman;

TEST_CASE("pieces by name give back the text, characters without a piece too", "[property]") {
  for (const auto type : {TokenizerType::bpe, TokenizerType::unigram}) {
    const auto tokenizer = test::small_tokenizer(type);
    const PieceDecoder decoder(tokenizer);
    for (const std::string text : {"koru vedo", "\xE4\xBD\xA0\xE5\xA5\xBD koru \xE4\xBD\xA0.",
                                   "vedo\xE2\x82\xAC lamis", "\xE4\xBD\xA0", ""}) {
      CAPTURE(text);
      CHECK(decoder.decode(tokenizer.pieces(text)) == text);
    }
  }
}

TEST_CASE("special pieces are decoded as SentencePiece decodes them, on one line", "[unit]") {
  const auto tokenizer = test::small_tokenizer();
  const PieceDecoder decoder(tokenizer);
  auto pieces = tokenizer.pieces("koru");
  pieces.insert(pieces.begin(), "<s>");
  pieces.insert(pieces.end(), {"</s>", "<pad>"});
  CHECK(decoder.decode(pieces) == "koru");
  pieces.emplace_back("<unk>");
  CHECK(decoder.decode(pieces) == "koru \xE2\x81\x87 ");
  CHECK(decoder.decode({"a\nb"}) == "a b");
}

}  // namespace piece_decoder_test
