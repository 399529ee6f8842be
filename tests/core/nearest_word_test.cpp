#include "dragoman/core/nearest_word.h"

#include "support/catch.h"

namespace nearest_word_test {

using namespace dragoman;

TEST_CASE("the distance counts insertions, deletions, replacements and exchanged neighbours",
          "[unit]") {
  CHECK(typing_errors("train", "train") == 0);
  CHECK(typing_errors("trian", "train") == 1);
  CHECK(typing_errors("tran", "train") == 1);
  CHECK(typing_errors("traiin", "train") == 1);
  CHECK(typing_errors("traim", "train") == 1);
  CHECK(typing_errors("", "abc") == 3);
  CHECK(typing_errors("kitten", "sitting") == 3);
}

TEST_CASE("the nearest word is found, and none where nothing is near", "[unit]") {
  const std::vector<std::string> words = {"train", "translate", "tokenize"};
  CHECK(nearest_word("trian", words) == "train");
  CHECK(nearest_word("transalte", words) == "translate");
  CHECK(nearest_word("tok", words) == "tokenize");
  CHECK(nearest_word("frac", {"from", "fraction"}) == "fraction");
  CHECK(nearest_word("fly", words).empty());
  CHECK(nearest_word("", words).empty());
  CHECK(nearest_word(std::string(10000, 'x'), words).empty());
}

}  // namespace nearest_word_test
