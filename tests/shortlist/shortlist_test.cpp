#include "dragoman/shortlist/shortlist.h"

#include "dragoman/core/error.h"
#include "support/catch.h"

namespace shortlist_test {

using namespace dragoman;
using Ids = std::vector<std::int32_t>;

namespace {

constexpr ShortlistVocabulary vocabulary{.sizes = {.source = 10, .target = 200}};

Shortlist small_shortlist() {
  return make_shortlist(
      vocabulary,
      {{5, 190, 0.5F}, {5, 64, 0.2F}, {4, 63, 1.0F}, {5, 64, 0.3F}, {3, 100, 0.1F}, {5, 70, 0.3F}});
}

Ids allowed_by(const Shortlist& shortlist, const Ids& source) {
  PieceSet allowed(shortlist.vocabulary.sizes.target);
  shortlist.allow(source, allowed);
  return allowed.pieces();
}

}  // namespace

TEST_CASE("a set of pieces has each of them once, in order", "[unit]") {
  PieceSet set(130), other(130);
  for (const auto piece : {129, 0, 63, 64, 0}) set.insert(piece);
  other.insert(7);
  set.insert_all(other);
  CHECK(set.pieces() == Ids{0, 7, 63, 64, 129});
  CHECK(set.size() == 5);
  CHECK(set.contains(63));
  CHECK_FALSE(set.contains(62));
  set.clear();
  CHECK(set.pieces().empty());
}

TEST_CASE("entries become lists that ascend, with the best probability of repeated ones",
          "[unit]") {
  const auto shortlist = small_shortlist();
  CHECK(shortlist.targets == Ids{100, 63, 64, 70, 190});
  CHECK(shortlist.probabilities == std::vector<float>{0.1F, 1.0F, 0.3F, 0.3F, 0.5F});
  CHECK(shortlist.of(5).size() == 3);
  CHECK(shortlist.of(9).empty());
}

TEST_CASE("a sentence allows the lists of its pieces and of EOS, EOS and the unknown piece",
          "[unit]") {
  auto shortlist = small_shortlist();
  CHECK(allowed_by(shortlist, {4, 3}) == Ids{1, 3, 63, 100});
  CHECK(allowed_by(shortlist, {5, 9, 3}) == Ids{1, 3, 64, 70, 100, 190});
  shortlist.first = 3;
  CHECK(allowed_by(shortlist, {9}) == Ids{0, 1, 2, 3, 4, 5, 6, 100});
  shortlist.vocabulary.joint = true;
  CHECK(allowed_by(shortlist, {9}) == Ids{0, 1, 2, 3, 4, 5, 9, 100});
}

TEST_CASE("phrases allow their lists where their pieces are neighbours", "[unit]") {
  auto shortlist = small_shortlist();
  shortlist.add_phrase({7, 8}, {150});
  shortlist.add_phrase({7, 8, 9}, {151});
  CHECK(shortlist.phrase_lengths == std::set<std::size_t>{2, 3});
  CHECK(allowed_by(shortlist, {6, 7, 8}) == Ids{1, 3, 100, 150});
  CHECK(allowed_by(shortlist, {7, 8, 9}) == Ids{1, 3, 100, 150, 151});
  CHECK(allowed_by(shortlist, {7, 9, 8}) == Ids{1, 3, 100});
}

TEST_CASE("cutting down keeps the most probable pieces, and all of EOS", "[unit]") {
  auto entries = small_shortlist();
  const auto one = cut_down(entries, {.best = 1});
  CHECK(one.targets == Ids{100, 63, 190});
  CHECK(one.best == 1);
  CHECK(cut_down(entries, {.best = 2}).targets == Ids{100, 63, 70, 190});
  CHECK(cut_down(entries, {.threshold = 0.4}).targets == Ids{100, 63, 190});
  CHECK(cut_down(entries, {}).targets == entries.targets);
  entries.probabilities.clear();
  CHECK_THROWS_AS(cut_down(entries, {.best = 1}), DataError);
}

}  // namespace shortlist_test
