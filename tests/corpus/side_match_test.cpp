#include "dragoman/corpus/side_match.h"

#include "support/catch.h"
#include "support/shared.h"

#include "dragoman/text/lines.h"

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace side_match_test {

using namespace dragoman;

namespace {

using Lines = std::vector<std::string>;

/// Sentences whose translations have about their length; every third has a number on both sides.
/// \param letters of the target's script, each as UTF-8
std::pair<Lines, Lines> sentences(int count, const Lines& letters) {
  std::mt19937_64 random(7);
  std::pair<Lines, Lines> text;
  for (int i = 0; i < count; ++i) {
    const auto words = 2 + random() % 15;
    std::string source, target;
    for (std::uint64_t w = 0; w < words; ++w) {
      source += "word ";
      for (std::uint64_t c = 0; c < 1 + random() % 6; ++c)
        target += letters[random() % letters.size()];
    }
    if (i % 3 == 0) {
      const auto number = std::to_string(random() % 100000);
      source += number;
      target += number;
    }
    text.first.push_back(source);
    text.second.push_back(target);
  }
  return text;
}

const Lines latin = {"a", "e", "r", "n", "s ", "t"};
const Lines chinese = {"\xE4\xBD\xA0", "\xE5\xA5\xBD", "\xE4\xB8\xAD", "\xE5\x9B\xBD",
                       "\xE4\xBA\xBA"};

std::optional<Mismatch> mismatch_of(const Lines& source, const Lines& target) {
  SideMatch match;
  for (std::size_t i = 0; i < std::min(source.size(), target.size()); ++i)
    match.add(source[i], target[i]);
  return match.mismatch();
}

/// Without line `at`, counted from 0.
Lines without(Lines lines, std::ptrdiff_t at) {
  lines.erase(lines.begin() + at);
  lines.emplace_back("end");
  return lines;
}

/// A real corpus, if it is there.
std::pair<Lines, Lines> corpus(const std::string& source, const std::string& target) {
  const auto folder = test::corpora_folder();
  return {read_lines(folder / source), read_lines(folder / target)};
}

}  // namespace

TEST_CASE("sides that translate each other match in any script", "[unit]") {
  for (const auto& letters : {latin, chinese}) {
    const auto [source, target] = sentences(3000, letters);
    CHECK_FALSE(mismatch_of(source, target));
    CHECK_FALSE(mismatch_of(target, source));
  }
}

TEST_CASE("shuffled sides are said to be unrelated", "[unit]") {
  for (const auto& letters : {latin, chinese}) {
    auto [source, target] = sentences(3000, letters);
    std::shuffle(target.begin(), target.end(), std::mt19937_64(3));
    const auto found = mismatch_of(source, target);
    REQUIRE(found);
    CHECK(found->all);
    CHECK(found->shift == 0);
  }
}

TEST_CASE("a shift by one line is found with its direction", "[unit]") {
  const auto [source, target] = sentences(1500, latin);
  const auto early = mismatch_of(source, without(target, 0));
  REQUIRE(early);
  CHECK(early->all);
  CHECK(early->shift == -1);
  const auto late = mismatch_of(without(source, 0), target);
  REQUIRE(late);
  CHECK(late->shift == 1);
  CHECK(mismatch_text(*late, "a", "b") ==
        "a and b: the target seems shifted by 1 line: source line n fits target line n + 1; look "
        "for a "
        "line that is missing or was added on one side");
}

TEST_CASE("a line missing in the middle is found to a few lines", "[unit]") {
  const auto [source, target] = sentences(9000, latin);
  const auto found = mismatch_of(source, without(target, 5000));
  REQUIRE(found);
  CHECK_FALSE(found->all);
  CHECK(found->shift == -1);
  CHECK(std::abs(found->first - 5001) < 20);
  CHECK(found->last == 9000);
}

TEST_CASE("a shift of the last lines only is found", "[unit]") {
  const auto [source, target] = sentences(2000, latin);
  for (const auto& [lines, at] : {std::pair{600, 300}, {1000, 800}, {1050, 860}, {2000, 1800}}) {
    CAPTURE(lines, at);
    const Lines kept(source.begin(), source.begin() + lines);
    const auto found = mismatch_of(kept, without(target, at));
    REQUIRE(found);
    CHECK(found->shift == -1);
    CHECK(std::abs(found->first - at) < 20);
    CHECK(found->last == lines);
    CHECK_FALSE(found->all);
    CHECK_FALSE(mismatch_of(kept, target));
  }
}

TEST_CASE("an unrelated end of a text is found", "[unit]") {
  auto [source, target] = sentences(9000, latin);
  std::shuffle(target.begin() + 6000, target.end(), std::mt19937_64(3));
  const auto found = mismatch_of(source, target);
  REQUIRE(found);
  CHECK(found->shift == 0);
  CHECK(std::abs(found->first - 6000) < 600);
}

TEST_CASE("nothing is said of few lines and of lines that tell nothing", "[unit]") {
  auto [source, target] = sentences(90, latin);
  std::reverse(target.begin(), target.end());
  CHECK_FALSE(mismatch_of(source, target));
  CHECK_FALSE(mismatch_of(Lines(2000, "same"), Lines(2000, "gleich")));
  CHECK_FALSE(mismatch_of({}, {}));
}

TEST_CASE("a text of more lines than are kept is still judged", "[unit]") {
  auto [source, target] = sentences(6000, latin);
  SideMatch match;
  for (int i = 0; i < 1200000; ++i) {
    const auto at = static_cast<std::size_t>(i) % source.size();
    match.add(source[at], target[i < 300000 ? at : (at + 5) % source.size()]);
  }
  const auto found = match.mismatch();
  REQUIRE(found);
  CHECK(found->shift == -5);
  CHECK(std::abs(found->first - 300000) < 3000);
}

TEST_CASE("the beginning of a long text is still judged", "[unit]") {
  auto [source, target] = sentences(6000, latin);
  SideMatch match;
  for (int i = 0; i < 1200000; ++i) {
    const auto at = static_cast<std::size_t>(i) % source.size();
    match.add(source[at], target[i < 600000 ? (at + 5) % source.size() : at]);
  }
  const auto found = match.mismatch();
  REQUIRE(found);
  CHECK(found->first == 1);
}

TEST_CASE("no real corpus is said to be misaligned, and a damaged one is", "[slow]") {
  const std::vector<std::pair<std::string, std::string>> corpora = {
      {"multi30k/train.en.gz", "multi30k/train.de.gz"},
      {"multi30k/train.en.gz", "multi30k/train.fr.gz"},
      {"multi30k/val.en.gz", "multi30k/val.de.gz"},
      {"tatoeba-en-de/train.en.gz", "tatoeba-en-de/train.de.gz"},
      {"tatoeba-en-fr/train.en.gz", "tatoeba-en-fr/train.fr.gz"}};
  for (const auto& [source_file, target_file] : corpora) {
    if (!test::have_corpus(source_file)) return;
    CAPTURE(source_file, target_file);
    const auto [source, target] = corpus(source_file, target_file);
    CHECK_FALSE(mismatch_of(source, target));
    CHECK_FALSE(mismatch_of(target, source));
    const auto half = static_cast<std::ptrdiff_t>(target.size() / 2);
    const auto shifted = mismatch_of(source, without(target, half));
    REQUIRE(shifted);
    CHECK(shifted->shift == -1);
    CHECK(std::abs(shifted->first - half) < 50);
    const auto ending = mismatch_of(source, without(target, std::ssize(target) - 200));
    REQUIRE(ending);
    CHECK(ending->shift == -1);
  }
}

}  // namespace side_match_test
