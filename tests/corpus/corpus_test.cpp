#include "dragoman/corpus/corpus.h"

#include "dragoman/core/error.h"
#include "support/catch.h"
#include "support/temporary_directory.h"
#include "text/text_support.h"

namespace corpus_test {

using namespace dragoman;
using test::contains;

namespace {

Vocabulary small_vocabulary() {
  const auto tokenizer = test::small_tokenizer();
  return {tokenizer, tokenizer, true};
}

std::vector<LinePair> synthetic_pairs(int count) {
  const auto lines = test::synthetic_lines(count);
  std::vector<LinePair> pairs;
  for (std::size_t i = 0; i < lines.size(); ++i)
    pairs.push_back({lines[i], lines[lines.size() - 1 - i]});
  return pairs;
}

}  // namespace

TEST_CASE("files are read in order, line for line", "[unit]") {
  const test::TemporaryDirectory folder;
  const std::vector<std::string> sources = {test::write(folder / "a.x", "1\n2\n"),
                                            test::write(folder / "b.x", "3\n")};
  const std::vector<std::string> targets = {test::write(folder / "a.y", "one\n\n"),
                                            test::write(folder / "b.y", "three")};
  const auto pairs = read_parallel(sources, targets);
  REQUIRE(pairs.size() == 3);
  CHECK(pairs[1].source == "2");
  CHECK(pairs[1].target.empty());
  CHECK(pairs[2].target == "three");
}

TEST_CASE("unequal numbers of lines are refused with both files and counts", "[unit]") {
  const test::TemporaryDirectory folder;
  const std::vector<std::string> sources = {test::write(folder / "a.x", "1\n2\n")};
  const std::vector<std::string> targets = {test::write(folder / "a.y", "one\n")};
  CHECK_THROWS_WITH(read_parallel(sources, targets),
                    contains("a.x and ") && contains("a.y: have 2 and 1 lines"));
  CHECK_THROWS_AS(read_parallel(sources, {}), OptionsError);
}

TEST_CASE("a corpus without a filled pair is refused", "[unit]") {
  const test::TemporaryDirectory folder;
  const std::vector<std::string> sources = {test::write(folder / "a.x", "1\n\n")};
  const std::vector<std::string> targets = {test::write(folder / "a.y", "\nzwei\n")};
  CHECK_THROWS_WITH(read_parallel(sources, targets),
                    contains("a.x and ") && contains("a.y: 0 of 2 pairs are usable"));
}

TEST_CASE("both sides of an example end with EOS", "[unit]") {
  const auto vocabulary = small_vocabulary();
  const auto pairs = synthetic_pairs(5);
  const auto corpus = encode_corpus(pairs, vocabulary, {}, "text");
  REQUIRE(corpus.examples.size() == 5);
  auto expected = vocabulary.source.encode(pairs[2].source);
  expected.push_back(3);
  CHECK(corpus.examples[2].source_ids == expected);
  CHECK(corpus.examples[2].target_ids.back() == 3);
}

TEST_CASE("each filter counts what it leaves out", "[unit]") {
  const std::vector<LinePair> pairs = {
      {"koru vedo", "lamis"},
      {"", "lamis"},
      {"koru", ""},
      {"koru vedo", "lamis"},
      {"koru", "lamis lamis lamis lamis"},
      {"koru koru koru koru koru koru koru koru koru koru", "lamis"},
      {"vedo", "koru"},
      {"\xE2\x80\x8B", "koru"},
  };
  const auto vocabulary = small_vocabulary();
  const auto pieces = [&](const char* text) {
    return static_cast<std::int64_t>(vocabulary.source.encode(text).size());
  };
  DataOptions options;
  CHECK(encode_corpus(pairs, vocabulary, options, "text").report.kept == 5);
  options.drop_duplicates = true;
  options.max_length = pieces("lamis lamis lamis lamis");
  options.max_ratio =
      static_cast<double>(pieces("koru vedo")) / static_cast<double>(pieces("lamis"));
  options.max_ratio = std::max(options.max_ratio, 1.5);
  const auto corpus = encode_corpus(pairs, vocabulary, options, "text");
  CHECK(corpus.report.read == 8);
  CHECK(corpus.report.empty == 3);
  CHECK(corpus.report.duplicates == 1);
  CHECK(corpus.report.too_long == 1);
  CHECK(corpus.report.ratio == 1);
  CHECK(corpus.report.kept == 2);
  CHECK_THAT(
      corpus.report.text(),
      contains("8 pairs read, 3 empty, 1 duplicate, 1 too long, 1 over the length ratio, 2 kept"));
}

TEST_CASE("a pair of exactly the longest length is kept", "[unit]") {
  const auto vocabulary = small_vocabulary();
  const std::vector<LinePair> pairs = {{"koru vedo lamis", "koru"}};
  DataOptions options;
  options.max_length =
      static_cast<std::int64_t>(vocabulary.source.encode("koru vedo lamis").size());
  CHECK(encode_corpus(pairs, vocabulary, options, "text").report.kept == 1);
  --options.max_length;
  CHECK_THROWS_WITH(encode_corpus(pairs, vocabulary, options, "a and b"),
                    contains("a and b: 0 of 1 pairs are usable: 1 too long"));
}

TEST_CASE("encoding in slices keeps the order of the text", "[property]") {
  const auto vocabulary = small_vocabulary();
  const auto pairs = synthetic_pairs(9001);
  const auto corpus = encode_corpus(pairs, vocabulary, {}, "text");
  REQUIRE(corpus.examples.size() == pairs.size());
  std::int64_t source_pieces = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    auto expected = vocabulary.source.encode(pairs[i].source);
    source_pieces += static_cast<std::int64_t>(expected.size());
    expected.push_back(3);
    REQUIRE(corpus.examples[i].source_ids == expected);
  }
  CHECK(corpus.report.source_pieces == source_pieces);
}

TEST_CASE("unknown pieces are counted", "[unit]") {
  const std::vector<LinePair> pairs = {{"koru \xE4\xBD\xA0 vedo", "lamis"}};
  const auto report = encode_corpus(pairs, small_vocabulary(), {}, "text").report;
  CHECK(report.source_unknown == 1);
  CHECK(report.target_unknown == 0);
}

}  // namespace corpus_test
