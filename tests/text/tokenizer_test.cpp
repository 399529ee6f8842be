#include "dragoman/text/tokenizer.h"

#include "dragoman/core/error.h"
#include "support/catch.h"
#include "text/text_support.h"

#include <thread>

namespace tokenizer_test {

using namespace dragoman;
using test::contains;

TEST_CASE("decoding gives back what was encoded", "[property]") {
  for (const auto type : {TokenizerType::bpe, TokenizerType::unigram}) {
    const auto tokenizer = test::small_tokenizer(type);
    for (const auto& line : test::synthetic_lines(60))
      CHECK(tokenizer.decode(tokenizer.encode(line)) == line);
  }
}

TEST_CASE("decoding gives back text up to normalization, which changes nothing twice",
          "[property]") {
  const auto tokenizer = test::small_tokenizer();
  CHECK(tokenizer.decode(tokenizer.encode("  koru   vedo ")) == "koru vedo");
  CHECK(tokenizer.decode(tokenizer.encode("ｋｏｒｕ")) == "koru");
  const auto once = tokenizer.decode(tokenizer.encode("lamis\xC2\xA0ﬁ vedo"));
  CHECK(tokenizer.decode(tokenizer.encode(once)) == once);
}

TEST_CASE("special ids of a learned model are 0 to 3", "[unit]") {
  const auto tokenizer = test::small_tokenizer();
  const auto special = tokenizer.special();
  CHECK(special.pad == 0);
  CHECK(special.unk == 1);
  CHECK(special.bos == 2);
  CHECK(special.eos == 3);
  CHECK(tokenizer.vocab_size() == 40);
  CHECK(tokenizer.piece(3) == "</s>");
  CHECK(tokenizer.id("</s>") == 3);
}

TEST_CASE("names of special pieces in the text never become control ids", "[unit]") {
  const auto tokenizer = test::small_tokenizer();
  for (const auto id : tokenizer.encode("<s> baten </s> <pad>koru<unk>")) {
    CHECK(id != 0);
    CHECK(id != 2);
    CHECK(id != 3);
  }
}

TEST_CASE("decoding skips special ids and refuses ids outside the vocabulary", "[unit]") {
  const auto tokenizer = test::small_tokenizer();
  auto ids = tokenizer.encode("koru vedo");
  ids.insert(ids.begin(), {2, 0});
  ids.push_back(3);
  CHECK(tokenizer.decode(ids) == "koru vedo");
  const std::vector<std::int32_t> outside = {40};
  CHECK_THROWS_AS(tokenizer.decode(outside), ContractError);
  CHECK_THROWS_AS(tokenizer.piece(-1), ContractError);
}

TEST_CASE("decoded text stays on one line", "[unit]") {
  TokenizerOptions options{.type = TokenizerType::bpe, .vocab_size = 330};
  options.byte_fallback = true;
  const auto lines = test::synthetic_lines();
  const auto tokenizer = Tokenizer::from_bytes(learn_tokenizer(lines, options, 1, "text"), "model");
  const std::vector<std::int32_t> ids = {tokenizer.id("<0x0A>"), tokenizer.id("<0x0D>"),
                                         tokenizer.id("<0x1B>"), tokenizer.id("<0x78>")};
  const auto text = tokenizer.decode(ids);
  CHECK(text.ends_with("x"));
  CHECK(text.find_first_of("\n\r\x1B") == std::string::npos);
  CHECK(tokenizer.decode(tokenizer.encode("koru \xE2\x82\xAC")) == "koru \xE2\x82\xAC");
}

TEST_CASE("bytes on both sides of a control piece are not joined to a character", "[unit]") {
  TokenizerOptions options{.type = TokenizerType::bpe, .vocab_size = 330};
  options.byte_fallback = true;
  const auto lines = test::synthetic_lines();
  const auto tokenizer = Tokenizer::from_bytes(learn_tokenizer(lines, options, 1, "text"), "model");
  std::vector<std::int32_t> ids;
  for (const auto* byte : {"<0xE3>", "<0x85>", "<0x8D>"}) ids.push_back(tokenizer.id(byte));
  CHECK(tokenizer.decode(ids) == "\xE3\x85\x8D");
  const std::string invalid = "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD";
  for (const std::int32_t control : {0, 3}) {
    auto separated = ids;
    separated.insert(separated.begin() + 1, control);
    CHECK(tokenizer.decode(separated) == invalid);
  }
}

TEST_CASE("a model without a padding piece gets one row behind its pieces", "[unit]") {
  // Under another name the control piece pads nothing.
  auto bytes = test::small_tokenizer().bytes();
  const auto at = bytes.find("<pad>");
  REQUIRE(at != std::string::npos);
  bytes[at + 1] = 'q';
  const auto tokenizer = Tokenizer::from_bytes(bytes, "model");
  CHECK(tokenizer.vocab_size() == 41);
  CHECK(tokenizer.special().pad == 40);
  CHECK(tokenizer.piece(40) == "<pad>");
  const std::vector<std::int32_t> padding = {40};
  CHECK(tokenizer.decode(padding).empty());
}

TEST_CASE("a model without a begin or an end piece is refused", "[unit]") {
  for (const auto* name : {"<s>", "</s>"}) {
    auto bytes = test::small_tokenizer().bytes();
    const auto at = bytes.find(name);
    REQUIRE(at != std::string::npos);
    bytes[at + std::string(name).size() - 2] = 'q';
    CHECK_THROWS_WITH(Tokenizer::from_bytes(bytes, "foreign.model"),
                      contains("foreign.model: has no ") && contains("of sentence piece"));
  }
}

TEST_CASE("any bytes can be encoded and decoded to valid text", "[property]") {
  const auto tokenizer = test::small_tokenizer(TokenizerType::unigram);
  std::string text;
  std::uint32_t state = 7;
  for (int i = 0; i < 5000; ++i) {
    state = state * 1664525U + 1013904223U;
    text += static_cast<char>(state >> 24);
  }
  const auto decoded = tokenizer.decode(tokenizer.encode(text));
  CHECK(decoded.find('\n') == std::string::npos);
  CHECK(tokenizer.encode("").empty());
  CHECK(tokenizer.encode(std::string(60000, 'b')).size() > 1000);
}

TEST_CASE("one tokenizer serves several threads", "[unit]") {
  const auto tokenizer = test::small_tokenizer();
  const auto lines = test::synthetic_lines();
  std::vector<int> wrong(4, 0);
  std::vector<std::thread> threads;
  for (auto& count : wrong)
    threads.emplace_back([&] {
      for (const auto& line : lines) count += tokenizer.decode(tokenizer.encode(line)) != line;
    });
  for (auto& thread : threads) thread.join();
  CHECK(wrong == std::vector<int>(4, 0));
}

TEST_CASE("pieces by name give back the text, characters without a piece too", "[property]") {
  for (const auto type : {TokenizerType::bpe, TokenizerType::unigram}) {
    const auto tokenizer = test::small_tokenizer(type);
    for (const std::string text : {"koru vedo", "\xE4\xBD\xA0\xE5\xA5\xBD koru \xE4\xBD\xA0.",
                                   "vedo\xE2\x82\xAC lamis", "\xE4\xBD\xA0", ""}) {
      CAPTURE(text);
      CHECK(tokenizer.decode(tokenizer.pieces(text)) == text);
    }
  }
}

TEST_CASE("special pieces are decoded as SentencePiece decodes them, on one line", "[unit]") {
  const auto tokenizer = test::small_tokenizer();
  auto pieces = tokenizer.pieces("koru");
  pieces.insert(pieces.begin(), "<s>");
  pieces.insert(pieces.end(), {"</s>", "<pad>"});
  CHECK(tokenizer.decode(pieces) == "koru");
  pieces.emplace_back("<unk>");
  CHECK(tokenizer.decode(pieces) == "koru \xE2\x81\x87 ");
  CHECK(tokenizer.decode(std::vector<std::string>{"a\nb"}) == "a b");
}

}  // namespace tokenizer_test
