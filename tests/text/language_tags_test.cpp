#include "dragoman/text/language_tags.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/text/piece_table.h"
#include "support/catch.h"
#include "support/log_taken.h"
#include "text/text_support.h"

namespace language_tags_test {

using namespace dragoman;
using Ids = std::vector<std::int32_t>;
using Names = std::vector<std::string>;

namespace {

DataOptions data_of(const Names& source, const Names& target) {
  DataOptions data;
  data.source_tag = source;
  data.target_tag = target;
  return data;
}

Vocabulary tagged(const Names& source, const Names& target) {
  const auto tokenizer = test::small_tokenizer();
  return with_language_tags({.source = tokenizer, .target = tokenizer, .joint = true},
                            data_of(source, target));
}

const std::string text = "koru vedo lamis.";

}  // namespace

TEST_CASE("tags are pieces behind those of the tokenizer, whose texts stay what they are",
          "[unit]") {
  const auto plain = test::small_tokenizer();
  const auto vocabulary = tagged({"en", "en", "fr"}, {"fr", "de", ""});
  const auto& source = vocabulary.source;
  CHECK(source.vocab_size() == plain.vocab_size() + 4);
  CHECK(vocabulary.target.bytes() == source.bytes());
  CHECK(target_languages(vocabulary) == Names{"de", "fr"});
  CHECK(source_languages(vocabulary) == Names{"en", "fr"});
  CHECK(source.encode(text) == plain.encode(text));
  CHECK(source.pieces(text) == plain.pieces(text));
  CHECK(source.decode(source.encode(text)) == plain.decode(plain.encode(text)));
  CHECK(source.special().eos == plain.special().eos);
}

TEST_CASE("texts begin with the tags of the languages that are named", "[unit]") {
  const auto vocabulary = tagged({"en"}, {"de"});
  const auto& source = vocabulary.source;
  const auto both = with_languages(vocabulary, {.source = "en", .target = "de"}).source;
  auto expected = source.encode(text);
  expected.insert(expected.begin(), {source.id(">>de<<"), source.id("<<en>>")});
  CHECK(both.encode(text) == expected);
  CHECK(both.prefix() == Ids{source.id(">>de<<"), source.id("<<en>>")});
  CHECK(both.pieces(text).front() == ">>de<<");
  CHECK(both.decode(expected) == source.decode(source.encode(text)));
  CHECK(with_languages(vocabulary, {}).source.encode(text) == source.encode(text));
}

TEST_CASE("a text may begin with the name of its target's tag", "[unit]") {
  const auto vocabulary = tagged({"en"}, {"de"});
  const auto& source = vocabulary.source;
  CHECK(source.encode(">>de<< " + text) ==
        with_languages(vocabulary, {.target = "de"}).source.encode(text));
  // Elsewhere, and of other languages, it is text.
  const auto is_tag = [&](std::int32_t id) { return id == source.id(">>de<<"); };
  CHECK(std::ranges::none_of(source.encode(text + " >>de<<"), is_tag));
  CHECK(source.encode(">>xx<< " + text) == test::small_tokenizer().encode(">>xx<< " + text));
  CHECK(source.encode("<<en>> " + text) == test::small_tokenizer().encode("<<en>> " + text));
  CHECK(source.own_tag(">>de<<" + text) == ">>de<<");
  for (const auto* other : {">>xx<< ", "<<en>> ", " >>de<< ", ">>de< <", ""})
    CHECK(source.own_tag(other + text).empty());
  CHECK(test::small_tokenizer().own_tag(">>de<< " + text).empty());
}

TEST_CASE("a text's own tag comes before the source language, as that of all texts does",
          "[unit]") {
  const auto vocabulary = tagged({"en"}, {"de"});
  const auto from = with_languages(vocabulary, {.source = "en", .target = {}}).source;
  const auto both = with_languages(vocabulary, {.source = "en", .target = "de"}).source;
  CHECK(from.encode(">>de<< " + text) == both.encode(text));
  CHECK(from.pieces(">>de<< " + text) == both.pieces(text));
  CHECK(from.encode(text).front() == vocabulary.source.id("<<en>>"));
}

TEST_CASE("a language that a model does not know is refused with those that it does", "[unit]") {
  const auto vocabulary = tagged({}, {"fr", "de"});
  CHECK_THROWS_WITH(with_languages(vocabulary, {.target = "nl"}),
                    test::contains("nl: the model translates into de, fr; choose one of these"));
  CHECK_THROWS_WITH(
      with_languages(vocabulary, {.source = "en"}),
      test::contains("en: the model offers no choice of languages to translate from"));
  CHECK_THROWS_AS(with_languages(tagged({}, {}), {.target = "de"}), OptionsError);
}

TEST_CASE("a line without the tag that all training text had is told of, once", "[unit]") {
  const auto vocabulary = tagged({"en"}, {"de"});
  const auto warnings = [](const Tokenizer& source, const Names& tags) {
    test::LogTaken log;
    TargetReminder reminder(source, data_of({}, tags), "here");
    std::int64_t number = 0;
    for (const auto* line : {">>de<< koru", "", "vedo", "lamis"}) reminder.tell(++number, line);
    return log.warnings;
  };
  CHECK(warnings(vocabulary.source, {"de"}) ==
        Names{"here: line 3: names no language, and the model has a tag for one: name it by --to, "
              "or begin each line with its tag, >>de<<"});
  CHECK(warnings(vocabulary.source, {}).size() == 1);  // of a model that another program trained
  CHECK(warnings(vocabulary.source, {"de", ""}).empty());
  CHECK_THAT(warnings(with_languages(vocabulary, {.target = "de"}).source, {"de"}).at(0),
             test::contains("line 1: begins with >>de<<, and a target language is given"));
  CHECK(warnings(test::small_tokenizer(), {}).empty());
}

namespace {

/// A vocabulary with a token for each of so many languages, l0, l1 and so on, behind its pieces.
Vocabulary with_tokens(int count) {
  const auto plain = test::small_tokenizer();
  PieceTable table{.special = plain.special()};
  for (std::int32_t id = 0; id < plain.vocab_size(); ++id) table.pieces.push_back(plain.piece(id));
  for (int i = 0; i < count; ++i) {
    const auto code = concat("l", i);
    table.languages[code] = static_cast<std::int32_t>(table.pieces.size());
    table.not_text.push_back(table.languages[code]);
    table.pieces.push_back("__" + code + "__");
  }
  const auto side = Tokenizer::from_bytes(with_piece_table(table, plain.sentencepiece()), "here");
  return {.source = side, .target = side, .joint = false};
}

}  // namespace

TEST_CASE("a model with a token for each language begins each side with one", "[unit]") {
  const auto vocabulary = with_tokens(3);
  CHECK(target_languages(vocabulary) == Names{"l0", "l1", "l2"});
  CHECK(source_languages(vocabulary) == Names{"l0", "l1", "l2"});
  const auto pair = with_languages(vocabulary, {.source = "l2", .target = "__l0__"});
  CHECK(pair.source.pieces(text).front() == "__l2__");
  CHECK(pair.target.prefix() == Ids{pair.target.id("__l0__")});
  CHECK(pair.source.encode(text).size() == test::small_tokenizer().encode(text).size() + 1);
  CHECK(pair.target.decode(pair.target.encode(text)) == text);
  // One side changes, the other stays.
  const auto other = with_languages(pair, {.target = "l1"});
  CHECK(other.source.prefix() == pair.source.prefix());
  CHECK(other.target.prefix() == Ids{pair.target.id("__l1__")});
  CHECK(has_languages(vocabulary));
  CHECK_FALSE(has_languages(tagged({}, {})));
}

TEST_CASE("a model with a token for each language refuses to guess one", "[unit]") {
  const auto vocabulary = with_tokens(21);
  const auto unnamed = test::contains(
      "translates between 21 languages, and none is chosen for this text; name both "
      "by --from and --to");
  CHECK_THROWS_WITH(vocabulary.source.encode(text), unnamed);
  CHECK_THROWS_WITH(vocabulary.target.pieces(text), unnamed);
  CHECK_THROWS_WITH(with_languages(vocabulary, {.source = "l1"}), unnamed);
  CHECK_THROWS_WITH(with_languages(vocabulary, {.target = "l1"}), unnamed);
  CHECK_THROWS_WITH(with_languages(vocabulary, {.source = "l1", .target = "x"}),
                    test::contains("x: the model translates into l0, l1, l10, "));
  CHECK_THROWS_WITH(with_languages(with_tokens(2), {.source = "x", .target = "l1"}),
                    test::contains("x: the model translates from l0, l1; choose one of these"));
}

TEST_CASE("a vocabulary that has the tags stays the same bytes", "[unit]") {
  const auto once = tagged({"en"}, {"de", "fr"});
  const auto again = with_language_tags(once, data_of({}, {"fr", "", "de"}));
  CHECK(again.source.bytes() == once.source.bytes());
  const auto loaded = Tokenizer::from_bytes(once.source.bytes(), "again");
  CHECK(loaded.encode(">>fr<<" + text) == once.source.encode(">>fr<<" + text));
}

}  // namespace language_tags_test
