#include "dragoman/corpus/preflight.h"

#include "dragoman/core/display_width.h"
#include "dragoman/core/joined.h"
#include "support/catch.h"
#include "support/temporary_directory.h"
#include "support/text.h"
#include "text/text_support.h"

#include <sys/stat.h>

namespace preflight_test {

using namespace dragoman;
using test::contains;

namespace {

DataOptions files(const test::TemporaryDirectory& folder, std::string_view source,
                  std::string_view target) {
  DataOptions options;
  options.train_source = {test::write(folder / "train.x", source)};
  options.train_target = {test::write(folder / "train.y", target)};
  return options;
}

}  // namespace

TEST_CASE("clean texts have facts and no complaints", "[unit]") {
  const test::TemporaryDirectory folder;
  const auto result = check_texts(files(folder, "a\tbc\nd\xC3\xA4\n", "x yz w\nv\n"));
  CHECK(result.problems.empty());
  CHECK(result.warnings.empty());
  REQUIRE(result.training.size() == 1);
  const auto& source = result.training[0].source;
  CHECK(source.lines == 2);
  CHECK(source.words == 3);
  CHECK(source.characters == 6);
  CHECK(source.longest_line == 4);
  CHECK(result.training[0].mean_ratio == test::Approx((6.0 / 4.0 + 1.0 / 2.0) / 2));
  CHECK_THAT(result.table(), contains("2 pairs: 0 with an empty side"));
}

TEST_CASE("the table counts columns, not characters", "[unit]") {
  const test::TemporaryDirectory folder;
  auto options = files(folder, "", "");
  for (auto* side : {&options.train_source, &options.train_target})
    *side = {test::write(folder / "日本語日本語日本語日本語日本語", "a b\nc\n")};
  const auto table = check_texts(options).table();
  CHECK_THAT(table, contains("…"));
  const auto rows = test::split_lines(table);
  REQUIRE(rows.size() == 5);
  for (std::size_t i = 1; i < 3; ++i) CHECK(display_width(rows[i]) == display_width(rows[0]));
}

TEST_CASE("a glance compares the languages of later files with those of the first", "[unit]") {
  const test::TemporaryDirectory folder;
  const auto repeated = [](std::string_view line, int times) {
    std::string text;
    for (int i = 0; i < times; ++i) text += line;
    return text;
  };
  // The first file begins with text unlike the rest of it.
  const std::string north = "ein zwischen der schiff ung ich zung\n";
  const std::string south = "la que tiosa ri ena los quelatio\n";
  auto options =
      files(folder, repeated("http://xyz.example/00123456\n", 3000) + repeated(north, 9000),
            repeated("http://xyz.example/00123456\n", 3000) + repeated(south, 9000));
  CHECK(glance_at_texts(options).empty());
  options.valid_source = test::write(folder / "valid.x", repeated(south, 100));
  options.valid_target = test::write(folder / "valid.y", repeated(north, 100));
  const auto warnings = glance_at_texts(options);
  REQUIRE(warnings.size() == 1);
  CHECK_THAT(warnings[0], contains("valid.y: appear to be swapped"));
}

TEST_CASE("a file that is given for two purposes is warned of", "[unit]") {
  const test::TemporaryDirectory folder;
  auto options = files(folder, "a\nb\n", "x\ny\n");
  CHECK(glance_at_texts(options).empty());
  options.valid_source = options.train_source.front();
  options.valid_target = options.train_target.front();
  auto warnings = glance_at_texts(options);
  REQUIRE(warnings.size() == 1);
  CHECK_THAT(warnings[0], contains("train.x: is training text, too"));
  options.train_source = options.train_target;
  warnings = glance_at_texts(options);
  REQUIRE(warnings.size() == 1);
  CHECK_THAT(warnings[0], contains("train.y: is both sides of the training text"));
  CHECK(glance_at_texts(options, /*copies=*/true).empty());
}

TEST_CASE("characters that the pieces lack or replace are warned of", "[unit]") {
  const test::TemporaryDirectory folder;
  std::string source, target;
  for (int i = 0; i < 50; ++i) {
    source += "a b c\n";
    target += i % 10 == 0 ? "x\uFF0Cy\n" : "x y\n";
  }
  const auto options = files(folder, source, target);
  const auto learned = [](Normalization normalization, bool lowercase = false) {
    const auto bytes = learn_tokenizer(std::vector<std::string>{"a b c", "x y", "x\uFF0Cy"},
                                       {.type = TokenizerType::bpe,
                                        .vocab_size = 300,
                                        .normalization = normalization,
                                        .lowercase = lowercase},
                                       1, "text");
    const auto tokenizer = Tokenizer::from_bytes(bytes, "text");
    return Vocabulary{.source = tokenizer, .target = tokenizer, .joint = true};
  };
  const auto replaced = glance_at_pieces(options, learned(Normalization::nfkc));
  REQUIRE(replaced.size() == 1);
  CHECK_THAT(replaced[0],
             contains("train.y: in 10.0 % of its first lines") &&
                 contains("such as U+FF0C '\uFF0C'") &&
                 contains("learned with tokenizer.normalization=identity keeps the originals"));
  CHECK(glance_at_pieces(options, learned(Normalization::identity)).empty());
  // Case is no such change.
  const auto folded = files(folder, "a B c\n", "X Y\n");
  CHECK(glance_at_pieces(folded, learned(Normalization::nfkc, /*lowercase=*/true)).empty());
  const auto other = files(folder, "a \u732B\nb \u732B\n", "x\ny\n");
  const auto unknown = glance_at_pieces(other, learned(Normalization::nfkc));
  REQUIRE(unknown.size() == 1);
  CHECK_THAT(unknown[0], contains("train.x: ") && contains(" % of the pieces of its first lines "
                                                           "are unknown"));
}

TEST_CASE("a table of both languages is warned of", "[unit]") {
  const test::TemporaryDirectory folder;
  const auto options = files(folder, "one\teins\n\ntwo\tzwei\n", "eins\n\nzwei\n");
  const auto glanced = glance_at_texts(options);
  REQUIRE(glanced.size() == 1);
  CHECK_THAT(glanced[0], contains("in 2 pairs one side is a part of the other; is one"));
  const auto check = check_texts(options);
  CHECK(std::ranges::find(check.warnings, glanced[0]) != check.warnings.end());
  CHECK(check.json()["training"][0].at("contained") == 2);
  CHECK(glance_at_texts(files(folder, "one\teins\ntwo\nsix\n", "eins\nzwei\nsechs\n")).empty());
}

TEST_CASE("all problems are listed, not only the first", "[unit]") {
  const test::TemporaryDirectory folder;
  auto options = files(folder, "a\nb\xFF\nc\xFE\n", "x\ny\n");
  options.valid_source = (folder / "missing").string();
  options.valid_target = test::write(folder / "valid.y", "\xFF\xFEx");
  const auto result = check_texts(options);
  CHECK_THAT(result.table(), contains("train.x") && !contains("valid.y"));
  const auto& problems = result.problems;
  REQUIRE(problems.size() == 5);
  CHECK_THAT(problems[0], contains("train.x: line 2, byte 2: is not UTF-8"));
  CHECK_THAT(problems[1], contains("train.x: 2 of 3 lines are not UTF-8"));
  CHECK_THAT(problems[2], contains("have 3 and 2 lines"));
  CHECK_THAT(problems[3], contains("missing: cannot be opened"));
  CHECK_THAT(problems[4], contains("valid.y: is UTF-16"));
  options.train_source = options.train_target = {options.valid_source};
  CHECK(check_texts(options).table().empty());
  const auto loop = folder / "loop";
  std::filesystem::create_symlink(loop, loop);
  options.train_source = {loop.string()};
  CHECK_THAT(dragoman::joined(check_texts(options).problems, "\n"),
             contains("loop: cannot be opened") && contains("missing: cannot be opened"));
}

TEST_CASE("empty sides, duplicates, copies and odd lengths are counted", "[unit]") {
  const test::TemporaryDirectory folder;
  const auto result =
      check_texts(files(folder, "aaaa\n\nbbbb\naaaa\nsame\ncccc\n",
                        "xxxx\ny\nyyyy\nxxxx\nsame\nzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz"
                        "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz\n"));
  const auto& pair = result.training.at(0);
  CHECK(pair.empty_pairs == 1);
  CHECK(pair.duplicates == 1);
  CHECK(pair.copies == 1);
  CHECK(pair.odd_ratios == 5);
  CHECK(result.warnings.size() == 4);
}

TEST_CASE("the same text in other languages is not counted as a duplicate", "[unit]") {
  const test::TemporaryDirectory folder;
  auto options = files(folder, "aa\nbb\naa\n", "x\ny\nx\n");
  options.train_source.push_back(options.train_source.front());
  options.train_target.push_back(options.train_target.front());
  auto result = check_texts(options);
  CHECK(result.training.at(0).duplicates == 1);
  CHECK(result.training.at(1).duplicates == 3);
  CHECK_THAT(result.warnings.back(), contains("data.drop_duplicates leaves them out"));
  options.target_tag = {"de", "nl"};
  options.drop_duplicates = true;
  result = check_texts(options);
  CHECK(result.training.at(1).duplicates == 1);
  CHECK_THAT(result.warnings.back(),
             contains("occur earlier in the training text and are left out"));
}

TEST_CASE("text in a pipe is a problem", "[unit]") {
  const test::TemporaryDirectory folder;
  const auto pipe = (folder / "pipe").string();
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  auto options = files(folder, "a\n", "x\n");
  options.valid_source = options.train_source.front();
  options.valid_target = pipe;
  for (const bool of_training : {false, true}) {
    if (of_training) {
      options.train_source = {pipe};
      options.valid_source = options.valid_target = options.train_target.front();
    }
    const auto problems = check_texts(options).problems;
    REQUIRE(problems.size() == 1);
    CHECK_THAT(problems[0], contains("pipe: is not a regular file"));
  }
}

TEST_CASE("validation text that is in the training text is counted", "[unit]") {
  const test::TemporaryDirectory folder;
  auto options = files(folder, "a\nb\nc\n", "x\ny\nz\n");
  options.valid_source = test::write(folder / "valid.x", "a\nb\nnew\n");
  options.valid_target = test::write(folder / "valid.y", "x\nw\nq\n");
  const auto result = check_texts(options);
  CHECK(result.overlapping_sources == 2);
  CHECK(result.overlapping_pairs == 1);
  CHECK_THAT(result.warnings.at(0), contains("2 of 3 sources are in the training text"));
}

TEST_CASE("the report as JSON holds what the text tells", "[unit]") {
  const test::TemporaryDirectory folder;
  const auto json = check_texts(files(folder, "a\nb\n", "x\n")).json();
  CHECK(json["training"][0]["source"]["lines"] == 2);
  CHECK(json["problems"].size() == 1);
  CHECK(json["validation"].empty());
  CHECK(json["training"][0].at("contained").is_null());
}

}  // namespace preflight_test
