#include "dragoman/corpus/pair_encoder.h"

#include "dragoman/core/error.h"
#include "dragoman/corpus/parallel_text.h"
#include "dragoman/text/language_tags.h"
#include "dragoman/text/piece_table.h"
#include "support/catch.h"
#include "support/temporary_directory.h"
#include "text/text_support.h"

#include <algorithm>
#include <thread>
#include <utility>

namespace pair_encoder_test {

using namespace dragoman;

namespace {

Vocabulary one_vocabulary() {
  const auto tokenizer = test::small_tokenizer();
  return {tokenizer, tokenizer, true};
}

}  // namespace

TEST_CASE("the encoder holds two blocks more than there are cores, however long the text",
          "[property]") {
  const std::int64_t blocks = 200, per_block = 10;
  std::int64_t given = 0, kept = 0, most_ahead = 0;
  const auto next_block = [&]() -> std::vector<LinePair> {
    if (given == blocks * per_block) return {};
    most_ahead = std::max(most_ahead, given - kept);
    given += per_block;
    return std::vector<LinePair>(static_cast<std::size_t>(per_block), {"koru vedo", "lamis"});
  };
  PairEncoder encoder(one_vocabulary(), {});
  const auto report = encoder.encode(next_block, [&](Example&&) { ++kept; });
  CHECK(report.kept == blocks * per_block);
  CHECK(kept == blocks * per_block);
  const auto cores = static_cast<std::int64_t>(std::max(1U, std::thread::hardware_concurrency()));
  CHECK(most_ahead <= (cores + 2) * per_block);
}

TEST_CASE("duplicates are found across the files of a corpus", "[unit]") {
  const test::TemporaryDirectory folder;
  const std::vector<std::string> sources = {test::write(folder / "a.x", "koru\nvedo\n"),
                                            test::write(folder / "b.x", "vedo\nlamis\n")};
  const std::vector<std::string> targets = {test::write(folder / "a.y", "vedo\nkoru\n"),
                                            test::write(folder / "b.y", "koru\nkoru\n")};
  ParallelText text(sources, targets);
  DataOptions options;
  options.drop_duplicates = true;
  PairEncoder encoder(one_vocabulary(), options);
  std::vector<CorpusReport> files;
  while (text.next_file())
    files.push_back(encoder.encode([&] { return text.next_block(); }, [](Example&&) {}));
  REQUIRE(files.size() == 2);
  CHECK(files[0].kept == 2);
  CHECK(files[1].duplicates == 1);
  CHECK(files[1].kept == 1);
}

TEST_CASE("the same pair in another language is no duplicate", "[unit]") {
  DataOptions options;
  options.drop_duplicates = true;
  options.target_tag = {"de", "nl"};
  const auto vocabulary = with_language_tags(one_vocabulary(), options);
  PairEncoder encoder(vocabulary, options);
  for (const std::string language : {"de", "nl"}) {
    encoder.set_vocabulary(with_languages(vocabulary, {.target = language}));
    std::vector<LinePair> pairs = {{"koru", "vedo"}, {"koru", "vedo"}};
    const auto report = encoder.encode([&] { return std::exchange(pairs, {}); }, [](Example&&) {});
    CHECK(report.kept == 1);
    CHECK(report.duplicates == 1);
  }
}

TEST_CASE("what the taker of an example throws reaches the caller", "[unit]") {
  PairEncoder encoder(one_vocabulary(), {});
  bool given = false;
  const auto next_block = [&]() -> std::vector<LinePair> {
    if (std::exchange(given, true)) return {};
    return {{"koru", "lamis"}};
  };
  const auto full_disk = [](Example&&) { throw DataError("disk: full"); };
  CHECK_THROWS_WITH(encoder.encode(next_block, full_disk), test::contains("disk: full"));
}

TEST_CASE("what the encoding of a block throws reaches the caller", "[unit]") {
  const auto plain = test::small_tokenizer();
  PieceTable table{.special = plain.special()};
  for (std::int32_t id = 0; id < plain.vocab_size(); ++id) table.pieces.push_back(plain.piece(id));
  table.languages["de"] =
      static_cast<std::int32_t>(table.special.unk);  // one must be chosen, and none is
  const auto side = Tokenizer::from_bytes(with_piece_table(table, plain.sentencepiece()), "here");
  PairEncoder encoder({.source = side, .target = side, .joint = true}, {});
  bool given = false;
  const auto next_block = [&]() -> std::vector<LinePair> {
    if (std::exchange(given, true)) return {};
    return {{"koru", "lamis"}};
  };
  CHECK_THROWS_AS(encoder.encode(next_block, [](Example&&) {}), OptionsError);
}

TEST_CASE("a text that is nothing but its language is empty, and languages count in no ratio",
          "[unit]") {
  DataOptions options;
  options.target_tag = {"de"};
  options.max_ratio = 2.0;
  const auto plain = one_vocabulary();
  const auto tagged = with_languages(with_language_tags(plain, options), {.target = "de"});
  const auto report_of = [&](const Vocabulary& vocabulary, const LinePair& pair) {
    PairEncoder encoder(vocabulary, options);
    bool given = false;
    return encoder.encode(
        [&]() -> std::vector<LinePair> {
          if (std::exchange(given, true)) return {};
          return {pair};
        },
        [](Example&&) {});
  };
  const LinePair blank{"\u200B", "koru"}, even{"koru", "koru"};
  for (const auto* vocabulary : {&plain, &tagged}) {
    CHECK(report_of(*vocabulary, blank).empty == 1);
    CHECK(report_of(*vocabulary, even).kept == 1);
  }
}

}  // namespace pair_encoder_test
