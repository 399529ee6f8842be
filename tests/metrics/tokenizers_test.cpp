#include "dragoman/metrics/tokenizers.h"

#include "dragoman/config/option_names.h"
#include "dragoman/config/train_options.h"
#include "dragoman/core/error.h"
#include "dragoman/metrics/bleu.h"
#include "support/catch.h"

namespace tokenizers_test {

using namespace dragoman;

namespace {

std::u32string joined(std::u32string_view line, BleuTokenizer tokenizer) {
  std::u32string out;
  for (const auto& token : tokenize(line, tokenizer)) out += (out.empty() ? U"" : U" ") + token;
  return out;
}

}  // namespace

TEST_CASE("13a keeps numbers whole and splits punctuation from words", "[unit]") {
  const auto cut = [](std::u32string_view line) { return joined(line, BleuTokenizer::mteval_13a); };
  CHECK(cut(U"It's 3.14, 1,000 or 5.") == U"It's 3.14 , 1,000 or 5 .");
  CHECK(cut(U".5 10-20 a-b") == U". 5 10 - 20 a-b");
  CHECK(cut(U"„Ja“ – €5") == U"„Ja“ – €5");
}

TEST_CASE("13a resolves four entities in one order", "[unit]") {
  CHECK(joined(U"&amp;lt; &quot;x&quot; &apos;", BleuTokenizer::mteval_13a) ==
        U"< \" x \" & apos ;");
}

TEST_CASE("13a deletes <skipped> tags and joins broken lines", "[unit]") {
  CHECK(joined(U"a<skipped>b trans-\nlate c\nd", BleuTokenizer::mteval_13a) == U"ab translate c d");
}

TEST_CASE("intl splits at Unicode punctuation and symbols", "[unit]") {
  const auto cut = [](std::u32string_view line) {
    return joined(line, BleuTokenizer::international);
  };
  CHECK(cut(U"„Ja“, €5 3.14") == U"„ Ja “ , € 5 3.14");
  CHECK(cut(U"It ended in 1999.") == U"It ended in 1999.");
}

TEST_CASE("char makes a token of every code point except whitespace", "[unit]") {
  CHECK(joined(U"e\u0301 中", BleuTokenizer::character) == U"e \u0301 中");
}

TEST_CASE("none splits at whitespace only", "[unit]") {
  CHECK(joined(U" a, b.\tc ", BleuTokenizer::none) == U"a, b. c");
}

TEST_CASE("zh splits ideographs of the basic plane and leaves those beyond", "[unit]") {
  CHECK(joined(U"中文abc，好", BleuTokenizer::chinese) == U"中 文 abc ， 好");
  CHECK(joined(U"\U00020000\U00020001", BleuTokenizer::chinese) == U"\U00020000\U00020001");
  CHECK(joined(U"a—b", BleuTokenizer::chinese) == U"a — b");
}

TEST_CASE("tokenizers have the names used in signatures", "[unit]") {
  for (const auto* name : {"13a", "intl", "char", "none", "zh"})
    CHECK(tokenizer_name(tokenizer_named(name)) == name);
  CHECK_THROWS_WITH(tokenizer_named("14a"), test::contains("known: 13a, intl, char, none, zh"));
  CHECK_THROWS_AS(tokenizer_named(""), OptionsError);
}

TEST_CASE("the option of validations knows the tokenizers of BLEU, by the same names", "[unit]") {
  CHECK(option_names("train.bleu_tokenizer") == tokenizer_names());
  CHECK(TrainOptions{}.bleu_tokenizer_name() == tokenizer_name(BleuOptions{}.tokenizer));
}

TEST_CASE("text that a tokenizer leaves whole is warned of, with the one to choose", "[unit]") {
  const auto warning = [](const std::vector<std::string>& lines, BleuTokenizer tokenizer) {
    return unsplit_warning(lines, tokenizer, "train.bleu_tokenizer=");
  };
  const std::vector<std::string> chinese{"他在公园里读书。", "", "我们明天去北京"};
  CHECK(tokens_per_line(chinese, BleuTokenizer::mteval_13a) == 1.0);
  CHECK(tokens_per_line(chinese, BleuTokenizer::character) == 7.5);
  const auto given = warning(chinese, BleuTokenizer::mteval_13a);
  REQUIRE(given);
  CHECK_THAT(*given, test::contains("1.0 tokens per line by tokenizer 13a") &&
                         test::contains("train.bleu_tokenizer=zh for Chinese"));
  CHECK_FALSE(warning(chinese, BleuTokenizer::chinese));
  CHECK_FALSE(warning(chinese, BleuTokenizer::character));
  CHECK_FALSE(warning({"It rains .", "No"}, BleuTokenizer::mteval_13a));
  CHECK_FALSE(warning({"yes", "no"}, BleuTokenizer::mteval_13a));
  CHECK_FALSE(warning({"", " "}, BleuTokenizer::mteval_13a));
  CHECK_FALSE(warning({}, BleuTokenizer::mteval_13a));
}

TEST_CASE("text that a tokenizer leaves whole is compared by its characters, others by their own",
          "[unit]") {
  const std::vector<std::string> thai{"ฉันรักเธอ", "เขากินข้าว"};
  CHECK(suitable_tokenizer(thai, BleuTokenizer::mteval_13a) == BleuTokenizer::character);
  CHECK(suitable_tokenizer({"It rains .", "No"}, BleuTokenizer::international) ==
        BleuTokenizer::international);
}

}  // namespace tokenizers_test
