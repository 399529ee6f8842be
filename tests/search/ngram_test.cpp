#include "dragoman/search/ngram.h"

#include "support/catch.h"

namespace ngram_test {

using dragoman::has_loop;
using dragoman::repeating_tokens;
using Ids = std::vector<std::int32_t>;
using Banned = std::vector<std::int64_t>;

TEST_CASE("tokens that would repeat an n-gram are found", "[unit]") {
  const Ids ids{5, 6, 7, 5, 6};
  CHECK(repeating_tokens(ids, 3) == Banned{7});
  CHECK(repeating_tokens(ids, 2) == Banned{7});
  CHECK(repeating_tokens(ids, 1) == Banned{5, 6, 7, 5, 6});
  CHECK(repeating_tokens(ids, 4).empty());
  CHECK(repeating_tokens(ids, 0).empty());
  CHECK(repeating_tokens(Ids{}, 2).empty());
}

TEST_CASE("the same tokens four times in a row are a loop", "[unit]") {
  CHECK(has_loop(Ids{1, 2, 3, 2, 3, 2, 3, 2, 3, 9}));
  CHECK(has_loop(Ids{7, 7, 7, 7, 7, 7, 7, 7}));
  CHECK_FALSE(has_loop(Ids{1, 2, 3, 2, 3, 2, 3, 9, 2, 3}));
  CHECK_FALSE(has_loop(Ids{7, 7, 7, 7, 7, 7, 7}));
  CHECK_FALSE(has_loop(Ids{}));
}

}  // namespace ngram_test
