#include "dragoman/translate/source_line.h"

#include "dragoman/text/language_tags.h"
#include "dragoman/translate/translation_log.h"
#include "support/catch.h"
#include "support/log_taken.h"
#include "text/text_support.h"
#include "translate/small_translation.h"

#include <algorithm>

namespace source_line_test {

using namespace dragoman;

namespace {

const std::string long_text = "Baten koru. Lamis vedo! Plonar shimu? Tegal ruzo.";

std::int64_t pieces_in(const Tokenizer& tokenizer, const std::string& text) {
  return std::ssize(tokenizer.encode(text));
}

bool has_warning(const test::LogTaken& log, const std::string& text) {
  return std::ranges::any_of(log.warnings, [&](const std::string& warning) {
    return warning.find(text) != std::string::npos;
  });
}

/// Translates a line with a model of random weights, and tells of it as the program does.
Translation told_translation(const std::string& line, std::int64_t max_source_length) {
  const SearchOptions search{.max_length = 3};
  const LineTranslator translator({inference_model(test::random_translation_model(1), search)},
                                  test::joint_vocabulary(), search,
                                  {.max_source_length = max_source_length});
  auto translation = translator.translate(std::vector{line}).front();
  TranslationLog log("input");
  log.tell({.text = line, .number = 7}, translation);
  log.finish();
  return translation;
}

}  // namespace

TEST_CASE("a line that fits is one part, neither split nor cut", "[unit]") {
  const auto tokenizer = test::small_tokenizer();
  const auto length = pieces_in(tokenizer, long_text);
  const auto line = encode_source(long_text, tokenizer, length);
  REQUIRE(line.parts.size() == 1);
  CHECK(line.parts.front() == tokenizer.encode(long_text));
  CHECK(line.texts.front() == long_text);
  CHECK_FALSE(line.split);
  CHECK_FALSE(line.cut);
}

TEST_CASE("a line of one piece too many is split at the ends of its sentences, none lost",
          "[unit]") {
  const auto tokenizer = test::small_tokenizer();
  const auto line = encode_source(long_text, tokenizer, pieces_in(tokenizer, long_text) - 1);
  CHECK(line.split);
  CHECK_FALSE(line.cut);
  REQUIRE(line.parts.size() == 4);
  std::string joined;
  for (std::size_t i = 0; i < line.parts.size(); ++i) {
    CHECK(line.parts[i] == tokenizer.encode(line.texts[i]));
    joined += (i > 0 ? " " : "") + line.texts[i];
  }
  CHECK(joined == long_text);
}

TEST_CASE("each sentence of a split line has the tag that the line begins with", "[unit]") {
  DataOptions data;
  data.target_tag = {"de"};
  const auto plain = test::small_tokenizer();
  const auto vocabulary =
      with_language_tags({.source = plain, .target = plain, .joint = true}, data);
  const auto& tokenizer = vocabulary.source;
  const auto named = with_languages(vocabulary, {.source = {}, .target = "de"}).source;
  const auto length = pieces_in(plain, long_text);
  const auto line = encode_source(">>de<< " + long_text, tokenizer, length);
  const auto expected = encode_source(long_text, named, length);
  CHECK(expected.parts.size() == 4);
  CHECK(line.parts == expected.parts);
  CHECK(line.split);
  for (std::size_t i = 0; i < line.parts.size(); ++i)
    CHECK(line.parts[i] == tokenizer.encode(line.texts[i]));
  for (const auto* blank : {">>de<<", ">>de<< "})
    CHECK(encode_source(blank, tokenizer, length).parts.empty());
}

TEST_CASE("a sentence that is too long by itself is cut to its first pieces", "[unit]") {
  const auto tokenizer = test::small_tokenizer();
  const std::string sentence = "baten koru lamis vedo plonar shimu tegal ruzo";
  const auto all = tokenizer.encode(sentence);
  for (const std::int64_t longest : {std::ssize(all) - 1, std::int64_t{5}, std::int64_t{1}}) {
    CAPTURE(longest);
    const auto line = encode_source(sentence, tokenizer, longest);
    CHECK(line.cut);
    CHECK_FALSE(line.split);
    REQUIRE(line.parts.size() == 1);
    CHECK(
        line.parts.front() ==
        std::vector<std::int32_t>(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(longest)));
  }
}

TEST_CASE("the first character that the vocabulary lacks is found", "[unit]") {
  const auto tokenizer = test::small_tokenizer();
  CHECK_FALSE(encode_source("baten koru.", tokenizer, 100).unknown);
  CHECK(encode_source("baten \xE4\xBD\xA0 koru \xC3\xA9", tokenizer, 100).unknown == U'\u4F60');
}

TEST_CASE("lines that were split, cut or stopped at the limit are warned of with their number",
          "[unit]") {
  {
    const test::LogTaken log;
    const auto translation = told_translation("baten koru lamis.", 256);
    CHECK_FALSE(translation.split);
    CHECK_FALSE(translation.cut);
    CHECK_FALSE(has_warning(log, "too long"));
  }
  {
    const test::LogTaken log;
    CHECK(told_translation(long_text, 16).split);
    CHECK(has_warning(log, "input: line 7: too long; translated sentence by sentence"));
  }
  {
    const test::LogTaken log;
    const auto translation = told_translation("baten koru lamis vedo plonar shimu", 4);
    CHECK(translation.cut);
    CHECK(translation.source_pieces.size() == 4);
    CHECK(has_warning(log,
                      "input: line 7: a sentence is too long; its end was left out "
                      "(data.max_length)"));
    CHECK(translation.truncated ==
          has_warning(log, "line 7: the translation stopped at the length limit"));
  }
  {
    const test::LogTaken log;
    CHECK(told_translation("baten \xE4\xBD\xA0", 256).unknown == U'\u4F60');
    CHECK(has_warning(log,
                      "input: line 7: U+4F60 '\xE4\xBD\xA0' is not in the vocabulary and is "
                      "read as unknown"));
  }
}

TEST_CASE("five lines are named for a fact, then all are counted", "[unit]") {
  const test::LogTaken taken;
  TranslationLog log("input");
  for (std::int64_t number = 1; number <= 7; ++number) {
    Translation translation;
    translation.n_best.resize(1);
    translation.cut = true;
    log.tell({.text = "x", .number = number}, translation);
  }
  CHECK(taken.warnings.size() == 5);
  log.finish();
  REQUIRE(taken.warnings.size() == 6);
  CHECK(taken.warnings.back() ==
        "input: 7 of 7 lines, the first 5 of them named above: a sentence is too long; its end was "
        "left out (data.max_length)");
}

TEST_CASE("the length limit is told with the positions that the model has, if it is limited",
          "[unit]") {
  const Translation cut{.truncated = true};
  const auto told = [&cut](TranslationLog log) {
    const test::LogTaken taken;
    log.tell({.text = "koru", .number = 7}, cut);
    return taken.warnings.at(0);
  };
  CHECK(told(TranslationLog("input")) ==
        "input: line 7: the translation stopped at the length limit (--max-length)");
  CHECK(told(TranslationLog("input", TranslationLog::Detail::lines, 64)) ==
        "input: line 7: the translation stopped at the length limit (--max-length; the model has "
        "64 positions)");
}

TEST_CASE("a blank translation is warned of if its line has text", "[unit]") {
  const auto told = [](const Translation& translation, TranslationLog::Detail detail) {
    const test::LogTaken taken;
    TranslationLog log("input", detail);
    log.tell({.text = {}, .number = 7}, translation);
    log.finish();
    return taken.warnings;
  };
  Translation blank;
  blank.n_best.resize(1);
  CHECK(told(blank, TranslationLog::Detail::lines).empty());
  blank.source_pieces = {"koru"};
  const auto named = told(blank, TranslationLog::Detail::lines);
  REQUIRE(named.size() == 1);
  CHECK(named.front() ==
        "input: line 7: the line has text, but its translation is blank (see --max-length)");
  const auto counted = told(blank, TranslationLog::Detail::counts);
  REQUIRE(counted.size() == 1);
  CHECK_THAT(counted.front(), test::contains("input: 1 of 1 lines: the line has text, "));
  blank.n_best.front().text = "baten";
  CHECK(told(blank, TranslationLog::Detail::lines).empty());
}

}  // namespace source_line_test
