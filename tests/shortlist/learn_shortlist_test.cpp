#include "dragoman/shortlist/learn_shortlist.h"

#include "dragoman/core/error.h"
#include "shortlist/synthetic_bitext.h"
#include "support/catch.h"

#include <algorithm>
#include <map>

namespace learn_shortlist_test {

using namespace dragoman;

TEST_CASE("a learned shortlist has each word's translation and the most frequent pieces",
          "[unit]") {
  const auto text = test::synthetic_bitext(600);
  const auto vocabulary = test::synthetic_vocabulary();
  const auto shortlist = learn_shortlist(text, vocabulary, {.first = 5, .best = 2});
  CHECK(shortlist.best == 2);
  CHECK(shortlist.first == 0);
  for (std::int32_t word = 4; word < test::words_end; ++word) {
    CAPTURE(word);
    CHECK(shortlist.of(word).size() <= 2);
    CHECK(std::ranges::binary_search(shortlist.of(word), test::translation_of(word)));
  }
  std::map<std::int32_t, int> counts;
  for (std::size_t i = 0; i < text.size(); ++i)
    for (const auto id : text.target(i)) ++counts[id];
  const auto always = shortlist.of(vocabulary.source.eos);
  REQUIRE(always.size() == 5);
  for (const auto& [id, count] : counts) {
    if (std::ranges::binary_search(always, id)) continue;
    for (const auto frequent : always) CHECK(counts[frequent] >= count);
  }
}

TEST_CASE("a threshold leaves improbable translations out", "[unit]") {
  const auto text = test::synthetic_bitext(300);
  const auto all = learn_shortlist(text, test::synthetic_vocabulary(), {});
  const auto few = learn_shortlist(text, test::synthetic_vocabulary(), {.threshold = 0.3});
  CHECK(few.targets.size() < all.targets.size());
  for (std::size_t k = few.offsets[4]; k < few.targets.size(); ++k)
    CHECK(few.probabilities[k] >= 0.3F);
}

TEST_CASE("a shortlist is the same whatever the number of threads", "[property]") {
  const auto text = test::synthetic_bitext(1000);
  const auto one = learn_shortlist(text, test::synthetic_vocabulary(), {});
  const auto many = learn_shortlist(text, test::synthetic_vocabulary(), {.threads = 5});
  CHECK(one.targets == many.targets);
  CHECK(one.probabilities == many.probabilities);
  CHECK(one.offsets == many.offsets);
}

TEST_CASE("a text without pairs and options out of range are refused", "[unit]") {
  CHECK_THROWS_AS(learn_shortlist(Bitext(), test::synthetic_vocabulary(), {}), DataError);
  const auto text = test::synthetic_bitext(3);
  for (const auto& wrong :
       {LearnShortlistOptions{.first = -1}, LearnShortlistOptions{.best = 0},
        LearnShortlistOptions{.threshold = 1.0}, LearnShortlistOptions{.threads = 0},
        LearnShortlistOptions{.threads = 100000}})
    CHECK_THROWS_AS(learn_shortlist(text, test::synthetic_vocabulary(), wrong), OptionsError);
}

}  // namespace learn_shortlist_test
