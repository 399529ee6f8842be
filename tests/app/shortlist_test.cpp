#include "app/small_run.h"
#include "dragoman/text/tokenizer.h"
#include "support/catch.h"

#include <algorithm>
#include <fstream>

namespace shortlist_test {

namespace {

using test::contains;
using test::dragoman;
using test::five_lines;
using test::small_run;

test::ProcessResult translate(const std::vector<std::string>& more) {
  return dragoman(
      test::with({"translate", "-m", small_run().string(), "--max-length", "12", "--json"}, more),
      {.text = five_lines});
}

std::string output_of(const std::vector<std::string>& more) {
  const auto result = translate(more);
  CAPTURE(result.err);
  REQUIRE(result.exit_code == 0);
  return result.out;
}

test::ProcessResult learn(const std::filesystem::path& output,
                          const std::vector<std::string>& more = {}) {
  return dragoman(
      test::with({"shortlist", "-m", small_run().string(), "-o", output.string()}, more));
}

/// A vocabulary map that always allows every piece.
std::string map_of_all_pieces() {
  for (const auto& file : std::filesystem::recursive_directory_iterator(small_run())) {
    if (file.path().filename() != "tokenizer.model") continue;
    const auto tokenizer = ::dragoman::Tokenizer::load(file.path());
    std::string text = "\t";
    for (std::int32_t id = 0; id < tokenizer.vocab_size(); ++id)
      text += (id == 0 ? "" : " ") + tokenizer.piece(id);
    return text + '\n';
  }
  return {};
}

}  // namespace

TEST_CASE("a shortlist is learned from the run's text and translates with it", "[e2e]") {
  const test::TemporaryDirectory folder;
  const auto learned =
      learn(folder / "lex", {"--first", "4", "--best", "2", "--valid-source",
                             (small_run().parent_path() / "a.src").string(), "--valid-target",
                             (small_run().parent_path() / "a.tgt").string()});
  CAPTURE(learned.err);
  REQUIRE(learned.exit_code == 0);
  CHECK(learned.out.empty());
  CHECK_THAT(learned.err, contains("the shortlist covers "));
  CHECK_THAT(learned.err, contains(" pieces per sentence ("));
  const auto by_pipe = test::dragoman(
      {"shortlist", "-m", small_run().string(), "-o", (folder / "lex2").string(), "--valid-source",
       "-", "--valid-target", (small_run().parent_path() / "a.tgt").string()},
      {.text = test::content_of(small_run().parent_path() / "a.src")});
  CAPTURE(by_pipe.err);
  CHECK(by_pipe.exit_code == 0);
  CHECK_THAT(by_pipe.err, contains("the shortlist covers "));
  const auto few = output_of({"--shortlist", (folder / "lex").string()});
  CHECK(few != output_of({}));
  CHECK(output_of({"--shortlist", (folder / "lex").string(), "--workers", "1", "--batch-lines",
                   "1"}) == few);
}

TEST_CASE("a shortlist that contains everything changes no byte of the output", "[e2e]") {
  const test::TemporaryDirectory folder;
  std::ofstream(folder / "vmap.txt") << map_of_all_pieces();
  const auto file = (folder / "vmap.txt").string();
  for (const std::vector<std::string>& search : {std::vector<std::string>{},
                                                 {"--precision", "int8"},
                                                 {"--n-best", "3"},
                                                 {"--sample", "--seed", "3"},
                                                 {"--no-repeat-ngram", "2"},
                                                 {"-m", small_run().string()}}) {
    CAPTURE(search);
    CHECK(output_of(test::with(search, {"--shortlist", file})) == output_of(search));
  }
}

TEST_CASE("a shortlist translates the same in every format", "[e2e]") {
  const test::TemporaryDirectory folder;
  const auto path = [&](const char* name) { return (folder / name).string(); };
  const std::vector<std::string> sizes{"--first", "3", "--best", "3"};
  for (const std::string format : {"marian", "marian-text", "ctranslate2"})
    REQUIRE(learn(path(format.c_str()), test::with(sizes, {"--format", format})).exit_code == 0);
  const auto binary = output_of({"--shortlist", path("marian")});
  CHECK(output_of({"--shortlist", path("ctranslate2")}) == binary);
  // A text is read with Marian's defaults; with --first 0 it is rewritten as it is.
  REQUIRE(learn(path("again"), {"--input", path("marian-text"), "--first", "0", "--best", "3"})
              .exit_code == 0);
  CHECK(output_of({"--shortlist", path("again")}) == binary);
  CHECK(test::content_of(path("again")) == test::content_of(path("marian")));
  REQUIRE(learn(path("map"), {"--input", path("marian"), "--format", "ctranslate2"}).exit_code ==
          0);
  CHECK(test::content_of(path("map")) == test::content_of(path("ctranslate2")));
}

TEST_CASE("a shortlist is written to standard output", "[e2e]") {
  const test::TemporaryDirectory folder;
  const auto written = learn("-", {"--format", "ctranslate2"});
  REQUIRE(written.exit_code == 0);
  REQUIRE(learn(folder / "map", {"--format", "ctranslate2"}).exit_code == 0);
  CHECK(written.out == test::content_of(folder / "map"));
}

TEST_CASE("a shortlist is the same from the text itself, whatever the number of threads", "[e2e]") {
  const test::TemporaryDirectory folder;
  const auto letters = small_run().parent_path();
  REQUIRE(learn(folder / "ids").exit_code == 0);
  REQUIRE(learn(folder / "text", {"--source", (letters / "a.src").string(), "--target",
                                  (letters / "a.tgt").string(), "--threads", "3"})
              .exit_code == 0);
  CHECK(test::content_of(folder / "ids") == test::content_of(folder / "text"));
}

TEST_CASE("evaluate translates with a shortlist", "[e2e]") {
  const test::TemporaryDirectory folder;
  const auto file = (folder / "lex").string(), output = (folder / "output").string(),
             source = (folder / "a.src").string();
  // So small a model writes nothing else than samples.
  const auto run =
      test::train_small_run(folder, {"search.sample=true", "search.max_length=9"}).string();
  REQUIRE(dragoman({"shortlist", "-m", run, "-o", file, "--first", "3", "--best", "3"}).exit_code ==
          0);
  REQUIRE(dragoman({"translate", "-m", run, "-i", source, "-o", output, "--shortlist", file})
              .exit_code == 0);
  const std::vector<std::string> evaluate{"evaluate",    "-m",   run,         "--source", source,
                                          "--reference", output, "--metrics", "chrf"};
  CHECK_THAT(dragoman(test::with(evaluate, {"--shortlist", file})).out, contains(" = 100.00"));
  CHECK_THAT(dragoman(evaluate).out, !contains(" = 100.00"));
}

TEST_CASE("a shortlist is learned and used without LibTorch", "[e2e]") {
  const test::TemporaryDirectory folder;
  const auto alone = folder / "dragoman";
  std::filesystem::copy_file(test::program(), alone);
  const auto file = (folder / "lex").string();
  const auto learned =
      test::run({alone.string(), "shortlist", "-m", small_run().string(), "-o", file});
  CAPTURE(learned.err);
  CHECK(learned.exit_code == 0);
  const auto translated =
      test::run({alone.string(), "translate", "-m", small_run().string(), "--shortlist", file},
                {.text = five_lines});
  CHECK(translated.exit_code == 0);
  CHECK(std::ranges::count(translated.out, '\n') == 5);
}

TEST_CASE("a shortlist that cannot be used is refused, not ignored", "[e2e]") {
  const test::TemporaryDirectory folder;
  const auto file = (folder / "lex").string();
  REQUIRE(learn(file).exit_code == 0);
  const auto modules = translate({"--shortlist", file, "--no-cache"});
  CHECK(modules.exit_code == 2);
  CHECK_THAT(modules.err, contains("shortlist: this model runs in LibTorch's modules ("));
  CHECK_THAT(modules.err, contains("leave out the shortlist, or what needs the modules"));
  const auto missing = translate({"--shortlist", file + "x"});
  CHECK(missing.exit_code == 1);
  CHECK_THAT(missing.err, contains("lexx"));
  auto bytes = test::content_of(file);
  bytes.back() = static_cast<char>(bytes.back() ^ 0x40);
  std::ofstream(file, std::ios::binary) << bytes.substr(0, bytes.size() - 3);
  const auto damaged = translate({"--shortlist", file});
  CHECK(damaged.exit_code == 1);
  CHECK_THAT(damaged.err, contains("truncated or damaged"));
}

TEST_CASE("a shortlist is learned although the run's validation text has changed", "[e2e]") {
  const test::TemporaryDirectory folder;
  const auto source = (folder / "v.src").string(), target = (folder / "v.tgt").string();
  test::write_letters(source, target);
  const auto run =
      test::train_small_run(folder, {"--valid-source", source, "--valid-target", target});
  std::ofstream(target, std::ios::app) << "one more\n";
  const auto learned = dragoman({"shortlist", "-m", run.string(), "-o", (folder / "lex").string()});
  CAPTURE(learned.err);
  CHECK(learned.exit_code == 0);
  CHECK_THAT(learned.err, contains("the shortlist's coverage was not measured"));
  CHECK(std::filesystem::exists(folder / "lex"));
}

TEST_CASE("a shortlist that cannot be learned leaves the old file", "[e2e]") {
  const test::TemporaryDirectory folder;
  for (const auto* name : {"lex", "bad"}) std::ofstream(folder / name) << "old";
  const auto refused = [&](const std::vector<std::string>& more) {
    const auto result = learn(folder / "lex", more);
    CHECK(result.exit_code != 0);
    CHECK(test::content_of(folder / "lex") == "old");
    return result.err;
  };
  CHECK_THAT(refused({"--data-cache", folder.path().string()}),
             contains("train.tokens: there is no training text of this run"));
  CHECK_THAT(refused({"--format", "moses"}), contains("--format"));
  CHECK_THAT(refused({"--source", "a"}), contains("--target"));
  CHECK_THAT(refused({"--threshold", "1"}), contains("threshold 1: is outside [0, 1)"));
  CHECK_THAT(refused({"--input", (folder / "bad").string()}), contains("line 1: has 1 fields"));
  const auto elsewhere = learn((folder / "missing" / "lex").string());
  CHECK(elsewhere.exit_code == 1);
  CHECK_THAT(elsewhere.err, contains("missing/lex: cannot be written"));
  CHECK_THAT(elsewhere.err, !contains("learning"));
}

}  // namespace shortlist_test
