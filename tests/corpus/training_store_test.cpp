#include "dragoman/corpus/training_store.h"

#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "dragoman/corpus/corpus.h"
#include "support/catch.h"
#include "support/temporary_directory.h"
#include "text/text_support.h"

namespace training_store_test {

using namespace dragoman;

namespace {

/// Two corpora of an artificial language, and what a training does with them.
struct MadeUpText {
  test::TemporaryDirectory folder;
  DataOptions options;
  Vocabulary vocabulary = vocabulary_of(40);

  MadeUpText() {
    std::string source, target;
    for (const auto& line : test::synthetic_lines(5000)) {
      source += line + '\n';
      target += "koru " + line + '\n';
    }
    options.train_source = {test::write(folder / "a.x", source),
                            test::write(folder / "b.x", "vedo\n\nlamis\n")};
    options.train_target = {test::write(folder / "a.y", target),
                            test::write(folder / "b.y", "vedo\nx\nlamis\n")};
  }
  static Vocabulary vocabulary_of(std::int64_t size) {
    const auto tokenizer = test::small_tokenizer(TokenizerType::bpe, size);
    return {tokenizer, tokenizer, true};
  }
  TrainingStore open() const {
    return open_training_store(
        folder.path(), options, vocabulary,
        identify_text(options.train_source, options.train_target, folder / "text.json"));
  }
  std::filesystem::path file() const { return folder / "train.tokens"; }
  /// Whether opening it rebuilds the file.
  bool is_made_again() const {
    const auto before = std::filesystem::last_write_time(file());
    open();
    return std::filesystem::last_write_time(file()) != before;
  }
};

}  // namespace

TEST_CASE("a training store holds the pairs that encoding in memory keeps", "[property]") {
  MadeUpText text;
  text.options.max_length = 30;
  const auto store = text.open();
  const auto pairs = read_parallel(text.options.train_source, text.options.train_target);
  const auto corpus = encode_corpus(pairs, text.vocabulary, text.options, "text");
  REQUIRE(store.pairs.size() == corpus.examples.size());
  CHECK(store.report.text() == corpus.report.text());
  CHECK(store.report.too_long > 0);
  for (std::size_t i = 0; i < corpus.examples.size(); ++i) {
    REQUIRE(store.pairs.example(i).source_ids == corpus.examples[i].source_ids);
    REQUIRE(store.pairs.example(i).target_ids == corpus.examples[i].target_ids);
  }
}

TEST_CASE("each pair of files has its own report", "[unit]") {
  const MadeUpText text;
  const auto store = text.open();
  REQUIRE(store.files.size() == 2);
  CHECK(store.files[0].kept == 5000);
  CHECK(store.files[1].empty == 1);
  CHECK(store.files[1].kept == 2);
  CHECK(store.report.kept == 5002);
}

TEST_CASE("a folder holds a training store only if nothing is to be built", "[unit]") {
  MadeUpText text;
  const auto holds = [&] {
    return holds_training_store(
        text.folder.path(), text.options, text.vocabulary,
        read_text_identity(text.options.train_source, text.options.train_target,
                           text.folder / "text.json"));
  };
  CHECK_FALSE(holds());
  text.open();
  CHECK(holds());
  text.options.max_length = 30;
  CHECK_FALSE(holds());
  text.options.max_length = DataOptions().max_length;
  text.vocabulary = MadeUpText::vocabulary_of(50);
  CHECK_FALSE(holds());
}

TEST_CASE("a training store is built once", "[unit]") {
  const MadeUpText text;
  text.open();
  CHECK_FALSE(text.is_made_again());
  CHECK(text.open().report.kept == 5002);
}

TEST_CASE("another text, tokenizer or filter rebuilds a training store", "[unit]") {
  MadeUpText text;
  text.open();
  test::write(text.options.train_source[1], "vedo\n\nkoru\n");
  CHECK(text.is_made_again());
  text.vocabulary = MadeUpText::vocabulary_of(45);
  CHECK(text.is_made_again());
  text.options.max_ratio = 9.0;
  CHECK(text.is_made_again());
  text.options.drop_duplicates = true;
  CHECK(text.is_made_again());
  text.options.max_length = 99;
  CHECK(text.is_made_again());
  text.options.prefetch = 9;
  CHECK_FALSE(text.is_made_again());
}

TEST_CASE("a damaged training store is rebuilt identically", "[unit]") {
  const MadeUpText text;
  text.open();
  const auto good = read_file(text.file());
  auto bad = good;
  bad[bad.size() / 2] ^= 16;
  write_file_atomically(text.file(), bad);
  text.open();
  CHECK(read_file(text.file()) == good);
}

TEST_CASE("a text that changed after it was identified is refused", "[unit]") {
  const MadeUpText text;
  const TextIdentity other{.sha256 = "another", .pairs = {5000, 3}};
  CHECK_THROWS_WITH(open_training_store(text.folder.path(), text.options, text.vocabulary, other),
                    test::contains("changed while it was read"));
  CHECK_FALSE(std::filesystem::exists(text.file()));
}

TEST_CASE("a text of which nothing is left yields no training store", "[unit]") {
  MadeUpText text;
  text.options.max_length = 1;
  CHECK_THROWS_WITH(text.open(), test::contains("0 of 5003 pairs are usable"));
  CHECK_FALSE(std::filesystem::exists(text.file()));
}

}  // namespace training_store_test
