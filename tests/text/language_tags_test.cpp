#include "dragoman/text/language_tags.h"

#include "dragoman/core/error.h"
#include "support/catch.h"
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
  CHECK(target_languages(source) == Names{"de", "fr"});
  CHECK(source_languages(source) == Names{"en", "fr"});
  CHECK(source.encode(text) == plain.encode(text));
  CHECK(source.pieces(text) == plain.pieces(text));
  CHECK(source.decode(source.encode(text)) == plain.decode(plain.encode(text)));
  CHECK(source.special().eos == plain.special().eos);
}

TEST_CASE("texts begin with the tags of the languages that are named", "[unit]") {
  const auto vocabulary = tagged({"en"}, {"de"});
  const auto& source = vocabulary.source;
  const auto both = with_languages(source, {.source = "en", .target = "de"});
  auto expected = source.encode(text);
  expected.insert(expected.begin(), {source.id(">>de<<"), source.id("<<en>>")});
  CHECK(both.encode(text) == expected);
  CHECK(both.prefix() == Ids{source.id(">>de<<"), source.id("<<en>>")});
  CHECK(both.pieces(text).front() == ">>de<<");
  CHECK(both.decode(expected) == source.decode(source.encode(text)));
  CHECK(with_languages(source, {}).encode(text) == source.encode(text));
}

TEST_CASE("a text may begin with the name of its target's tag", "[unit]") {
  const auto source = tagged({"en"}, {"de"}).source;
  CHECK(source.encode(">>de<< " + text) == with_languages(source, {.target = "de"}).encode(text));
  // Elsewhere, and of other languages, it is text.
  const auto is_tag = [&](std::int32_t id) { return id == source.id(">>de<<"); };
  CHECK(std::ranges::none_of(source.encode(text + " >>de<<"), is_tag));
  CHECK(source.encode(">>xx<< " + text) == test::small_tokenizer().encode(">>xx<< " + text));
  CHECK(source.encode("<<en>> " + text) == test::small_tokenizer().encode("<<en>> " + text));
}

TEST_CASE("a language that a model does not know is refused with those that it does", "[unit]") {
  const auto source = tagged({}, {"fr", "de"}).source;
  CHECK_THROWS_WITH(with_languages(source, {.target = "nl"}),
                    test::contains("nl: the model translates into de, fr; choose one of these"));
  CHECK_THROWS_WITH(with_languages(source, {.source = "en"}),
                    test::contains("en: the model translates from no language by name"));
  CHECK_THROWS_AS(with_languages(test::small_tokenizer(), {.target = "de"}), OptionsError);
}

TEST_CASE("a vocabulary that has the tags stays the same bytes", "[unit]") {
  const auto once = tagged({"en"}, {"de", "fr"});
  const auto again = with_language_tags(once, data_of({}, {"fr", "", "de"}));
  CHECK(again.source.bytes() == once.source.bytes());
  const auto loaded = Tokenizer::from_bytes(once.source.bytes(), "again");
  CHECK(loaded.encode(">>fr<<" + text) == once.source.encode(">>fr<<" + text));
}

}  // namespace language_tags_test
