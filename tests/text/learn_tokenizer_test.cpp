#include "dragoman/text/learn_tokenizer.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "support/catch.h"
#include "support/log_taken.h"
#include "text/text_support.h"

#include <algorithm>

namespace learn_tokenizer_test {

using namespace dragoman;
using test::contains;

namespace {

TokenizerOptions small_options(TokenizerType type, std::int64_t vocab_size) {
  TokenizerOptions options;
  options.type = type;
  options.vocab_size = vocab_size;
  options.hard_vocab_limit = true;
  return options;
}

std::string message_of(const std::vector<std::string>& lines, const TokenizerOptions& options) {
  try {
    learn_tokenizer(lines, options, 1, "corpus.de");
  } catch (const OptionsError& error) {
    return error.what();
  }
  return "no OptionsError";
}

}  // namespace

TEST_CASE("the same text and options give the same model", "[property]") {
  const auto lines = test::synthetic_lines();
  for (const auto type : {TokenizerType::bpe, TokenizerType::unigram}) {
    const auto options = small_options(type, 40);
    CHECK(learn_tokenizer(lines, options, 1, "text") == learn_tokenizer(lines, options, 2, "text"));
  }
}

TEST_CASE("a long line is read to its end, wherever its words are", "[unit]") {
  auto lines = test::synthetic_lines();
  std::string with_blanks, without;
  for (int i = 0; i < 1000; ++i) with_blanks += "zebra quagga ";
  for (int i = 0; i < 1000; ++i) without += "\u00E4\u00DF\u00E4";
  const auto options = small_options(TokenizerType::unigram, 45);
  for (const auto& line : {with_blanks + "ypsilon", without + "y"}) {
    lines.push_back(line);
    const auto tokenizer =
        Tokenizer::from_bytes(learn_tokenizer(lines, options, 1, "text"), "text");
    const auto ids = tokenizer.encode("y");
    CHECK(std::ranges::find(ids, tokenizer.special().unk) == ids.end());
    lines.pop_back();
  }
}

TEST_CASE("a line that says the same endlessly counts as a few of its parts", "[unit]") {
  const auto options = small_options(TokenizerType::unigram, 45);
  const auto learned_with = [&](int times) {
    auto lines = test::synthetic_lines();
    auto& line = lines.emplace_back();
    for (int i = 0; i < times; ++i) line += "phrase of words ";
    line.pop_back();
    return learn_tokenizer(lines, options, 1, "text");
  };
  const bool same = learned_with(32 * 1000) == learned_with(32 * 10);
  CHECK(same);
}

TEST_CASE("the seed decides which lines are drawn where there are more than wanted", "[unit]") {
  const auto lines = test::synthetic_lines();
  auto options = small_options(TokenizerType::bpe, 45);
  options.max_sentences = 20;
  const auto model = learn_tokenizer(lines, options, 1, "text");
  CHECK(model == learn_tokenizer(lines, options, 1, "text"));
  CHECK(model != learn_tokenizer(lines, options, 2, "text"));
}

TEST_CASE("a vocabulary larger than the text can fill is refused with the largest possible",
          "[unit]") {
  const auto lines = test::synthetic_lines();
  for (const auto type : {TokenizerType::bpe, TokenizerType::unigram}) {
    const auto message = message_of(lines, small_options(type, 5000));
    CHECK_THAT(message,
               contains("corpus.de: tokenizer.vocab_size 5000 is more than the text can fill"));
    const std::string mark = "the largest possible is ";
    const auto at = message.find(mark);
    REQUIRE(at != std::string::npos);
    const auto largest = std::stoll(message.substr(at + mark.size()));
    const auto model = learn_tokenizer(lines, small_options(type, largest), 1, "corpus.de");
    CHECK(Tokenizer::from_bytes(model, "model").vocab_size() == largest);
    CHECK_THROWS_AS(learn_tokenizer(lines, small_options(type, largest + 1), 1, "x"), OptionsError);
    auto soft = small_options(type, 5000);
    soft.hard_vocab_limit = false;
    const test::LogTaken log;
    CHECK(learn_tokenizer(lines, soft, 1, "corpus.de") == model);
    REQUIRE(log.warnings.size() == 1);
    CHECK_THAT(log.warnings.front(), contains(concat(mark, largest, ", which is used")));
  }
}

TEST_CASE("a vocabulary too small for the characters is refused with the smallest possible",
          "[unit]") {
  const auto lines = test::synthetic_lines();
  const auto message = message_of(lines, small_options(TokenizerType::bpe, 12));
  CHECK_THAT(message,
             contains("vocab_size 12 is too small") && contains("the smallest possible is "));
}

TEST_CASE("a text of blank lines teaches nothing and is refused", "[unit]") {
  const std::vector<std::string> blank(5);
  CHECK_THROWS_WITH(learn_tokenizer(blank, small_options(TokenizerType::bpe, 60), 1, "corpus.de"),
                    contains("corpus.de: no line has text"));
  const std::vector<std::string> invisible = {"\xE2\x80\x8B", "\xE3\x80\x80"};
  CHECK_THROWS_WITH(
      learn_tokenizer(invisible, small_options(TokenizerType::unigram, 60), 1, "corpus.de"),
      contains("corpus.de: no line has text"));
}

TEST_CASE("a joint vocabulary is one tokenizer and a separate one two", "[unit]") {
  std::vector<LinePair> pairs;
  for (const auto& line : test::synthetic_lines()) pairs.push_back({line, "Q" + line});
  auto options = small_options(TokenizerType::bpe, 60);
  const auto joint = learn_vocabulary(pairs, options, 1, "a", "b");
  CHECK(joint.joint);
  CHECK(joint.source.bytes() == joint.target.bytes());
  options.joint = false;
  const auto separate = learn_vocabulary(pairs, options, 1, "a", "b");
  CHECK_FALSE(separate.joint);
  const auto unknown = [](const Tokenizer& tokenizer) { return tokenizer.id("Q") == 1; };
  CHECK(unknown(separate.source));
  CHECK_FALSE(unknown(separate.target));
  CHECK_FALSE(unknown(joint.source));
}

TEST_CASE("characters are replaced by NFKC, or stay as they are", "[unit]") {
  const std::string line =
      "baten\uFF0C koru\uFF01 \u0E19\u0E49\u0E33";  // Chinese marks, a Thai word
  auto lines = test::synthetic_lines();
  for (int i = 0; i < 50; ++i) lines.push_back(line);
  for (const auto type : {TokenizerType::bpe, TokenizerType::unigram}) {
    auto options = small_options(type, 64);
    options.hard_vocab_limit = false;
    const auto written = [&] {
      const auto tokenizer = Tokenizer::from_bytes(learn_tokenizer(lines, options, 1, "x"), "x");
      return tokenizer.decode(tokenizer.encode("  " + line + "   vedo"));
    };
    CHECK(written() == "baten, koru! \u0E19\u0E49\u0E4D\u0E32 vedo");
    options.normalization = Normalization::identity;
    CHECK(written() == line + " vedo");
    options.lowercase = true;
    CHECK_THROWS_WITH(options.validate(), contains("set tokenizer.normalization=nfkc or"));
  }
}

TEST_CASE("lower-casing and digit splitting are learned with the model", "[unit]") {
  auto lines = test::synthetic_lines();
  for (int i = 0; i < 50; ++i) lines.push_back("baten 2024 koru");
  auto options = small_options(TokenizerType::bpe, 64);
  options.lowercase = true;
  options.split_digits = true;
  const auto tokenizer = Tokenizer::from_bytes(learn_tokenizer(lines, options, 1, "x"), "x");
  CHECK(tokenizer.decode(tokenizer.encode("KORU Vedo")) == "koru vedo");
  CHECK(tokenizer.pieces("2024").size() >= 4);
}

}  // namespace learn_tokenizer_test
