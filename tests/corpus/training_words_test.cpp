#include "dragoman/corpus/training_words.h"

#include "dragoman/core/error.h"
#include "dragoman/corpus/training_store.h"
#include "support/catch.h"
#include "support/temporary_directory.h"
#include "text/text_support.h"

namespace training_words_test {

using namespace dragoman;

namespace {

std::vector<std::u32string> at_blanks(const std::string& line) {
  std::vector<std::u32string> words(1);
  for (const char c : line)
    if (c == ' ')
      words.emplace_back();
    else
      words.back() += static_cast<char32_t>(c);
  return words;
}

/// Ten pairs: "koru" in each target, "vedo" in the targets of the first half.
struct TenLines {
  test::TemporaryDirectory folder;
  Tokenizer tokenizer = test::small_tokenizer();

  TokenStore store() const {
    std::string source, target;
    for (int i = 0; i < 10; ++i) {
      source += "wendo wendo " + std::string(i % 2 == 0 ? "koru" : "baten") + '\n';
      target += i < 5 ? "koru lamis vedo\n" : "koru lamis baten\n";
    }
    DataOptions options;
    options.train_source = {test::write(folder / "x", source)};
    options.train_target = {test::write(folder / "y", target)};
    return open_training_store(
               folder.path(), options, {tokenizer, tokenizer, true},
               identify_text(options.train_source, options.train_target, folder / "text.json"))
        .pairs;
  }
  static WordSearch search() {
    return {.wanted = {{U"koru", 0}, {U"vedo", 0}, {U"wendo", 0}}, .split = at_blanks};
  }
};

}  // namespace

TEST_CASE("wanted words are counted in the target side of a training text, and no others",
          "[unit]") {
  const TenLines text;
  const auto words = count_target_words(text.store(), text.tokenizer, TenLines::search());
  CHECK(words.lines == 10);
  CHECK(words.all_lines == 10);
  CHECK(words.counts.size() == 3);
  CHECK(words.counts.at(U"koru") == 10);
  CHECK(words.counts.at(U"vedo") == 5);
  CHECK(words.counts.at(U"wendo") == 0);  // of the source alone
}

TEST_CASE("of a longer training text evenly spread lines are counted", "[unit]") {
  const TenLines text;
  auto search = TenLines::search();
  search.most_lines = 4;  // lines 0, 2, 5, 7
  const auto words = count_target_words(text.store(), text.tokenizer, search);
  CHECK(words.lines == 4);
  CHECK(words.all_lines == 10);
  CHECK(words.counts.at(U"koru") == 4);
  CHECK(words.counts.at(U"vedo") == 2);
}

TEST_CASE("ids of another tokenizer are refused", "[unit]") {
  const TenLines text;
  CHECK_THROWS_WITH(count_target_words(text.store(), test::small_tokenizer(TokenizerType::bpe, 41),
                                       TenLines::search()),
                    test::contains("not made by the checkpoint's target tokenizer"));
}

}  // namespace training_words_test
