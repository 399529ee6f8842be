#include "dragoman/analysis/word_relations.h"

#include "analysis/small_run.h"
#include "dragoman/analysis/attention_pictures.h"
#include "dragoman/core/error.h"
#include "support/temporary_directory.h"

#include <fstream>

namespace word_relations_test {

using namespace dragoman;

TEST_CASE("the share of a relation is the weight between its words in every head", "[unit]") {
  const auto run = test::small_run();
  const std::vector<LinePair> sentences = {{"baten koru", ""}, {"a b", ""}};
  const auto reports =
      relation_shares(run, sentences, std::vector<std::vector<WordPair>>{{{1, 0, "x"}}, {}});
  REQUIRE(reports.size() == 1);
  CHECK(reports[0].pairs == 1);
  const auto map = attention_pictures(run, std::span(sentences).first(1))[0].maps[0];
  const auto words = words_of(std::span(map.queries).first(map.queries.size() - 1));
  const auto last = words.size() - 1;  // the last piece of the second word
  double pieces = 0.0;
  for (std::int64_t layer = 0; layer < 2; ++layer)
    for (std::int64_t head = 0; head < 2; ++head) {
      double share = 0.0;
      pieces = 0.0;
      for (std::size_t k = 0; k < words.size(); ++k)
        if (words[k] == 0) {
          share += map.weight(layer, head, last, k);
          pieces += 1.0;
        }
      CHECK(reports[0].shares[static_cast<std::size_t>(layer)][static_cast<std::size_t>(head)] ==
            test::Approx(share));
    }
  CHECK(reports[0].chance == test::Approx(pieces / static_cast<double>(map.keys.size())));
}

TEST_CASE("pairs of words are read, and malformed ones are refused with their line", "[unit]") {
  const test::TemporaryDirectory folder;
  std::ofstream(folder / "ok") << "1-0:determiner-noun 4-1:subject-verb\n\n";
  const auto pairs = read_word_pairs(folder / "ok");
  REQUIRE(pairs.size() == 2);
  CHECK(pairs[0][1].from == 4);
  CHECK(pairs[0][1].to == 1);
  CHECK(pairs[0][0].relation == "determiner-noun");
  CHECK(pairs[1].empty());
  for (const char* bad : {"1-0", "1-0:", "1:x", "-1-0:x", "a-0:x", "1-0x:y"}) {
    CAPTURE(bad);
    std::ofstream(folder / "bad") << "\n" << bad << "\n";
    CHECK_THROWS_WITH(read_word_pairs(folder / "bad"),
                      test::contains("line 2: \"" + std::string(bad)));
  }
}

TEST_CASE("a word that a sentence lacks is refused", "[unit]") {
  const std::vector<LinePair> sentences = {{"a b", ""}};
  CHECK_THROWS_WITH(relation_shares(test::small_run(), sentences,
                                    std::vector<std::vector<WordPair>>{{{0, 2, "x"}}}),
                    test::contains("sentence 1: has no word 2"));
}

}  // namespace word_relations_test
