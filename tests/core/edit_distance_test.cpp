#include "dragoman/core/edit_distance.h"

#include "support/catch.h"

namespace edit_distance_test {

using namespace dragoman;

TEST_CASE("the distance counts insertions, deletions, replacements and exchanged neighbours", "[unit]") {
  CHECK(edit_distance("train", "train") == 0);
  CHECK(edit_distance("trian", "train") == 1);
  CHECK(edit_distance("tran", "train") == 1);
  CHECK(edit_distance("traiin", "train") == 1);
  CHECK(edit_distance("traim", "train") == 1);
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("kitten", "sitting") == 3);
}

TEST_CASE("the nearest word is found, and none where nothing is near", "[unit]") {
  const std::vector<std::string> words = {"train", "translate", "tokenize"};
  CHECK(nearest_word("trian", words) == "train");
  CHECK(nearest_word("transalte", words) == "translate");
  CHECK(nearest_word("tok", words) == "tokenize");
  CHECK(nearest_word("fly", words).empty());
  CHECK(nearest_word("", words).empty());
  CHECK(nearest_word(std::string(10000, 'x'), words).empty());
}

}  // namespace edit_distance_test
