#include "dragoman/corpus/token_store.h"

#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "dragoman/corpus/examples.h"
#include "dragoman/corpus/token_store_writer.h"
#include "support/catch.h"
#include "support/temporary_directory.h"

#include <random>
#include <utility>

namespace token_store_test {

using namespace dragoman;
using test::contains;

namespace {

constexpr VocabularySizes any_size{1 << 30, 1 << 30};

std::vector<std::int32_t> some_ids(std::mt19937& random, std::int32_t vocabulary) {
  std::vector<std::int32_t> ids(1 + random() % 9);
  for (auto& id : ids) id = static_cast<std::int32_t>(random() % static_cast<unsigned>(vocabulary));
  return ids;
}

std::vector<Example> some_examples(std::size_t count, std::int32_t vocabulary) {
  std::mt19937 random(3);
  std::vector<Example> examples(count);
  for (auto& example : examples)
    example = {.source_ids = some_ids(random, vocabulary),
               .target_ids = some_ids(random, vocabulary)};
  return examples;
}

TokenStore written(const std::filesystem::path& path, const std::vector<Example>& examples,
                   std::int64_t vocabulary) {
  TokenStoreWriter writer(path, vocabulary);
  for (const auto& example : examples) writer.add(example);
  writer.commit({{"made", "here"}});
  return TokenStore(path, any_size);
}

}  // namespace

TEST_CASE("a token store returns what was written, in 16 bits and in 32", "[property]") {
  const test::TemporaryDirectory folder;
  for (const std::int32_t vocabulary : {65536, 65537, 900000}) {
    // Two whole segments and part of a third.
    const auto examples = some_examples(2 * token_format::segment_pairs + 77, vocabulary);
    const auto store = written(folder / "a.tokens", examples, vocabulary);
    REQUIRE(store.size() == examples.size());
    bool same = true;
    for (std::size_t i = 0; i < examples.size(); ++i) {
      const auto read = store.example(i);
      const auto length = store.length(i);
      same = same && read.source_ids == examples[i].source_ids &&
             read.target_ids == examples[i].target_ids &&
             length.source == examples[i].source_ids.size() &&
             length.target == examples[i].target_ids.size();
      if (i % 5000 == 0) store.drop_pages();
    }
    CAPTURE(vocabulary);
    CHECK(same);
    CHECK(store.facts().at("made") == "here");
  }
}

TEST_CASE("ids of small vocabularies take two bytes each", "[unit]") {
  const test::TemporaryDirectory folder;
  const auto examples = some_examples(5000, 60);
  written(folder / "narrow", examples, 60);
  written(folder / "wide", examples, 70000);
  std::uintmax_t ids = 0;
  for (const auto& example : examples) ids += example.source_ids.size() + example.target_ids.size();
  const auto difference =
      std::filesystem::file_size(folder / "wide") - std::filesystem::file_size(folder / "narrow");
  CHECK(difference > 2 * ids - 100);
  CHECK(difference < 2 * ids + 100);
}

TEST_CASE("damage to any byte of a token store is detected", "[property]") {
  const test::TemporaryDirectory folder;
  written(folder / "a", some_examples(12, 60), 60);
  const auto good = read_file(folder / "a");
  for (std::size_t at = 0; at < good.size(); ++at) {
    auto bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 4);
    write_file_atomically(folder / "b", bad);
    CAPTURE(at);
    CHECK_THROWS_AS(TokenStore(folder / "b", any_size), FormatError);
  }
}

TEST_CASE("ids that a vocabulary lacks are refused, on either side", "[unit]") {
  const test::TemporaryDirectory folder;
  for (const std::int32_t wide : {0, 70000}) {
    const std::vector<Example> examples = {{.source_ids = {1, 9 + wide, 2}, .target_ids = {4, 2}},
                                           {.source_ids = {3}, .target_ids = {5 + wide, 2}}};
    written(folder / "a", examples, 10 + wide);
    const auto open = [&](std::int64_t source, std::int64_t target) {
      return TokenStore(folder / "a", {source, target}).size();
    };
    CHECK(open(10 + wide, 6 + wide) == 2);
    CHECK_THROWS_WITH(open(9 + wide, 6 + wide), contains("has ids in segment 0 that are not of"));
    CHECK_THROWS_WITH(open(10 + wide, 5 + wide), contains("has ids in segment 0 that are not of"));
  }
  CHECK_THROWS_AS(written(folder / "a", {{.source_ids = {1, -5}, .target_ids = {2}}}, 70000),
                  FormatError);
}

TEST_CASE("a token store truncated anywhere is refused by name", "[property]") {
  const test::TemporaryDirectory folder;
  written(folder / "a", some_examples(12, 60), 60);
  const auto good = read_file(folder / "a");
  for (std::size_t size = 0; size < good.size(); size += 3) {
    write_file_atomically(folder / "b", good.substr(0, size));
    CAPTURE(size);
    CHECK_THROWS_WITH(TokenStore(folder / "b", any_size),
                      contains("/b: ") && contains("rebuilds it"));
  }
}

TEST_CASE("an error for a damaged segment names the segment", "[unit]") {
  const test::TemporaryDirectory folder;
  written(folder / "a", some_examples(token_format::segment_pairs + 9, 60), 60);
  auto bytes = read_file(folder / "a");
  bytes[bytes.find("{\"facts") - 20] ^= 1;
  write_file_atomically(folder / "a", bytes);
  CHECK_THROWS_WITH(TokenStore(folder / "a", any_size),
                    contains("damaged in segment 1 of pairs from 16384"));
}

TEST_CASE("examples are the same in a list and in a store", "[unit]") {
  const test::TemporaryDirectory folder;
  const auto list = some_examples(30, 60);
  const auto store = written(folder / "a", list, 60);
  const Examples in_memory(list), on_disk(store);
  REQUIRE(in_memory.size() == on_disk.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    CHECK(in_memory.example(i).target_ids == on_disk.example(i).target_ids);
    CHECK(in_memory.length(i).source == on_disk.length(i).source);
  }
}

}  // namespace token_store_test
