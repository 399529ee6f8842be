#include "demo/corpus.h"
#include "dragoman/text/lines.h"
#include "support/catch.h"
#include "support/paths.h"

#include <algorithm>
#include <filesystem>
#include <set>

namespace demo_corpus_test {

namespace {

std::vector<std::string> committed(const std::string& name) {
  const auto folder = test::source_folder() / "data" / "demo";
  return dragoman::read_lines(folder / (name + ".gz"), dragoman::LineUse::scoring);
}

const demo::Corpus& made() {
  static const demo::Corpus corpus = demo::make_corpus();
  return corpus;
}

void check_same(const std::string& set, const std::vector<demo::Pair>& pairs) {
  const auto english = committed(set + ".en");
  const auto german = committed(set + ".de");
  REQUIRE(english.size() == pairs.size());
  REQUIRE(german.size() == pairs.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    CAPTURE(set, i);
    REQUIRE(english[i] == pairs[i].english);
    REQUIRE(german[i] == pairs[i].german);
  }
}

std::size_t words(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), ' ')) + 1;
}

}  // namespace

TEST_CASE("the generator reproduces the committed corpus", "[golden]") {
  check_same("train", made().train);
  check_same("valid", made().valid);
  check_same("test", made().test);
}

TEST_CASE("the demo corpus has the sizes stated in its README", "[unit]") {
  CHECK(made().train.size() == 24000);
  CHECK(made().valid.size() == 500);
  CHECK(made().test.size() == 700);
}

TEST_CASE("no demo sentence occurs twice, on either side, in any set", "[unit]") {
  std::set<std::string> english, german;
  std::size_t pairs = 0;
  for (const auto* set : {&made().train, &made().valid, &made().test})
    for (const auto& pair : *set) {
      english.insert(pair.english);
      german.insert(pair.german);
      ++pairs;
    }
  CHECK(english.size() == pairs);
  CHECK(german.size() == pairs);
}

TEST_CASE("a combination held out of demo training occurs in the test set only", "[unit]") {
  const std::string unseen = "small city";
  REQUIRE(demo::held_out("adjective:small+city"));
  const auto count = [&](const std::vector<demo::Pair>& pairs) {
    return std::count_if(pairs.begin(), pairs.end(), [&](const demo::Pair& pair) {
      return pair.english.find(unseen) != std::string::npos;
    });
  };
  CHECK(count(made().train) + count(made().valid) == 0);
  CHECK(count(made().test) > 0);
}

TEST_CASE("demo sentences have at most seventeen words and end with a punctuation mark", "[unit]") {
  for (const auto& pair : made().train)
    for (const auto& text : {pair.english, pair.german}) {
      CAPTURE(text);
      REQUIRE(words(text) <= 17);
      REQUIRE((text.back() == '.' || text.back() == '?'));
      REQUIRE(text.find("  ") == std::string::npos);
      REQUIRE(text.find(" ,") == std::string::npos);
      REQUIRE(text.find(",,") == std::string::npos);
    }
}

}  // namespace demo_corpus_test
