#include "dragoman/analysis/alignment_heads.h"

#include "analysis/small_run.h"
#include "dragoman/core/error.h"

#include <algorithm>

namespace alignment_heads_test {

using namespace dragoman;

TEST_CASE("links between pieces become links between words, without duplicates", "[unit]") {
  const std::vector<std::string> source = {"▁Haus", "tür", "▁auf"},
                                 target = {"▁front", "▁do", "or", "▁open"};
  const Links pieces = {{0, 0}, {1, 1}, {1, 2}, {2, 3}};
  CHECK(pharaoh_text(word_links(pieces, source, target)) == "0-0 0-1 1-2");
}

TEST_CASE("the first piece starts a word with or without the space marker", "[unit]") {
  const std::vector<std::string> bare = {"日", "本", "▁語"};
  CHECK(pharaoh_text(word_links({{0, 0}, {1, 1}, {2, 2}}, bare, bare)) == "0-0 1-1");
}

TEST_CASE("each target piece has one link to a source piece", "[unit]") {
  CHECK(pharaoh_text(piece_links(AlignedSources{1, 0, 1})) == "1-0 0-1 1-2");
}

TEST_CASE("agreement is 1 for equal links and drops with each different one", "[unit]") {
  const std::vector<Links> gold = {{{0, 0}, {1, 1}}, {{0, 0}}};
  CHECK(agreement(gold, gold) == 1.0);
  CHECK(agreement(std::vector<Links>{{{0, 0}, {0, 1}}, {{0, 0}}}, gold) == test::Approx(4.0 / 6.0));
  CHECK(agreement(std::vector<Links>{{}, {}}, gold) == 0.0);
}

TEST_CASE("links that repeat in other sentences score better than random ones", "[unit]") {
  const std::vector<std::vector<std::string>> source(4, {"a", "b", "c"}),
      target(4, {"x", "y", "z"});
  const std::vector<AlignedSources> steady(4, {0, 1, 2}),
      moving = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}};
  CHECK(translation_score(steady, source, target) > translation_score(moving, source, target));
}

TEST_CASE("the last piece is aligned like others, unless it is EOS", "[unit]") {
  auto run = test::small_run();
  const std::vector<LinePair> pairs = {{"a b", "b d e a d"}};
  const auto last_aligned = [&] {
    std::int64_t last = -1;
    for (const auto& head : alignments_of_heads(run, pairs))
      for (const std::int64_t source : head.sources[0]) last = std::max(last, source);
    return last;
  };
  const auto pieces = std::ssize(run.vocabulary.source.encode("a b"));
  CHECK(last_aligned() == pieces - 1);
  run.vocabulary.source = test::without_source_eos(run.vocabulary.source);
  CHECK(last_aligned() == pieces - 1);
}

TEST_CASE("Pharaoh lines are read, and malformed ones are refused with their place", "[unit]") {
  CHECK(pharaoh_text(read_pharaoh("0-0 12-3", "gold: line 1")) == "0-0 12-3");
  CHECK(read_pharaoh("", "gold").empty());
  for (const char* bad : {"0", "0-", "-1-2", "a-b", "0-1x", "0:1"}) {
    CAPTURE(bad);
    CHECK_THROWS_WITH(read_pharaoh(bad, "gold: line 7"),
                      test::contains("gold: line 7: \"" + std::string(bad)));
  }
}

}  // namespace alignment_heads_test
