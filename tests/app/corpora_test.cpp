#include "support/catch.h"
#include "support/program.h"
#include "support/shared.h"

#include <fstream>
#include <string>
#include <vector>

namespace corpora_test {

namespace {

constexpr auto* text = "ein Haus\n";
constexpr auto* sha256_of_text = "09eb433dd8b5e99c9cc67227abb72f63f333b5ed99f173c8a59a80c5d20c69a5";

/// A list of one corpus of one file, whose source is not packed.
void write_list(const std::filesystem::path& file) {
  std::ofstream(file)
      << R"({"small": {"licence": "free", "citation": "nobody", "files": [{"file": "train.de.gz",)"
      << R"("source": {"repository": "owner/name", "commit": "c0ffee", "path": "train.de",)"
      << R"("sha256": ")" << sha256_of_text << R"("}, "text_sha256": ")" << sha256_of_text
      << R"("}]}})";
}

bool have_python() {
  if (test::run({"python3", "--version"}).exit_code == 0) return true;
  test::skip("python3 is missing");
  return false;
}

/// A folder with the list, a copy of its source, and what is made of them.
class Corpora {
 public:
  Corpora() {
    write_list(folder_ / "list.json");
    write_source(text);
  }

  void write_source(const std::string& content) const {
    std::filesystem::create_directories(folder_ / "copies/owner/name");
    std::ofstream(source()) << content;
  }

  test::ProcessResult fetch() const { return run({"--list", (folder_ / "list.json").string()}); }

  test::ProcessResult run(const std::vector<std::string>& more) const {
    return test::run(test::with({"python3", (test::source_folder() / "data/fetch.py").string(),
                                 "--from", (folder_ / "copies").string(), "-o", made().string()},
                                more),
                     {.variables = {{"PYTHONDONTWRITEBYTECODE", "1"}}});
  }

  std::filesystem::path source() const { return folder_ / "copies/owner/name/train.de"; }
  std::filesystem::path made() const { return folder_ / "made"; }
  std::filesystem::path file() const { return made() / "small/train.de.gz"; }

 private:
  test::TemporaryDirectory folder_;
};

}  // namespace

TEST_CASE("a corpus is made of its sources once, and again where it is damaged", "[e2e]") {
  if (!have_python()) return;
  const Corpora corpora;
  const auto first = corpora.fetch();
  CAPTURE(first.err);
  REQUIRE(first.exit_code == 0);
  CHECK_THAT(first.out, test::contains("small: free\n  nobody\n"));
  CHECK(test::run({"gzip", "-dc", corpora.file().string()}).out == text);

  std::filesystem::remove(corpora.source());
  const auto second = corpora.fetch();
  CHECK(second.exit_code == 0);
  CHECK_THAT(second.out, test::contains("complete, checked"));

  std::filesystem::resize_file(corpora.file(), 7);
  corpora.write_source(text);
  CHECK(corpora.fetch().exit_code == 0);
  CHECK(test::run({"gzip", "-dc", corpora.file().string()}).out == text);
}

TEST_CASE("a source that is missing or another is refused, and nothing is written", "[e2e]") {
  if (!have_python()) return;
  const Corpora corpora;
  corpora.write_source("ein Hut\n");
  const auto another = corpora.fetch();
  CHECK(another.exit_code == 1);
  CHECK_THAT(another.err, test::contains(corpora.source().string() + ": has SHA-256 "));
  CHECK_THAT(another.err, test::contains("; take the file of commit c0ffee"));

  std::filesystem::remove(corpora.source());
  const auto missing = corpora.fetch();
  CHECK(missing.exit_code == 1);
  CHECK_THAT(missing.err, test::contains("train.de: cannot be read (No such file or directory); "
                                         "put there train.de of https://"));
  CHECK_FALSE(std::filesystem::exists(corpora.made()));
}

TEST_CASE("an unknown corpus is refused with the names of the known ones", "[e2e]") {
  if (!have_python()) return;
  const auto result = Corpora().run({"tatoeba"});
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.err, test::contains("tatoeba: no such corpus; known: multi30k, tatoeba-en-de"));
}

TEST_CASE("the corpora that tests read are those of the results", "[e2e][slow]") {
  if (!have_python()) return;
  if (!test::have_corpus("multi30k/train.en.gz")) return;
  if (!test::have_corpus("tatoeba-en-de/train.en.gz")) return;
  const test::TemporaryDirectory empty;
  const auto result = test::run(
      {"python3", (test::source_folder() / "data/fetch.py").string(), "--from",
       empty.path().string(), "-o", test::corpora_folder().string(), "multi30k", "tatoeba-en-de"},
      {.variables = {{"PYTHONDONTWRITEBYTECODE", "1"}}});
  CAPTURE(result.err);
  CHECK(result.exit_code == 0);
}

}  // namespace corpora_test
