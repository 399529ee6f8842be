#include "dragoman/corpus/language_profile.h"

#include "support/catch.h"
#include "support/shared.h"

#include "dragoman/text/lines.h"

#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace language_profile_test {

using namespace dragoman;
using test::contains;

namespace {

using Lines = std::vector<std::string>;

/// Lines of random words with the syllables of one language.
Lines speech(const Lines& syllables, int count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Lines lines;
  for (int i = 0; i < count; ++i) {
    std::string line;
    for (int w = 0; w < 6; ++w) {
      for (std::uint64_t s = 0; s < 1 + random() % 3; ++s)
        line += syllables[random() % syllables.size()];
      line += ' ';
    }
    lines.push_back(line);
  }
  return lines;
}

const Lines north = {"sch", "ung", "ein", "der", "zw", "ich"};
const Lines south = {"la", "que", "tio", "os", "ri", "ena"};
const Lines east = {"wy", "prz", "ko", "szcz", "ow", "ak"};

Lines warnings(const Lines& source, const Lines& target, const Lines& other_source,
               const Lines& other_target, const std::vector<std::string>& target_tags = {}) {
  DataOptions data;
  data.target_tag = target_tags;
  data.train_source = {"t.src"};
  data.train_target = {"t.tgt"};
  data.valid_source = "v.src";
  data.valid_target = "v.tgt";
  CorpusLanguages languages(data);
  const auto read = [&](std::size_t file, const Lines& sources, const Lines& targets) {
    languages.begin(file);
    for (std::size_t i = 0; i < sources.size(); ++i) languages.add(sources[i], targets[i]);
  };
  read(0, source, target);
  CHECK(languages.warnings().empty());
  read(1, other_source, other_target);
  return languages.warnings();
}

Lines shared_lines(const std::string& file) { return read_lines(test::corpora_folder() / file); }

}  // namespace

TEST_CASE("validation text in the right languages gives no warning", "[unit]") {
  CHECK(warnings(speech(north, 1000, 1), speech(south, 1000, 2), speech(north, 100, 3),
                 speech(south, 100, 4))
            .empty());
}

TEST_CASE("swapped sides and a wrong language are told apart", "[unit]") {
  const auto source = speech(north, 1000, 1), target = speech(south, 1000, 2);
  const auto swapped = warnings(source, target, speech(south, 100, 3), speech(north, 100, 4));
  REQUIRE(swapped.size() == 1);
  CHECK_THAT(swapped[0], contains("v.src and v.tgt: appear to be swapped"));
  const auto foreign = warnings(source, target, speech(north, 100, 3), speech(east, 100, 4));
  REQUIRE(foreign.size() == 1);
  CHECK_THAT(foreign[0], contains("v.tgt: seems to be in another language"));
  const auto twice = warnings(source, target, speech(north, 100, 3), speech(north, 100, 4));
  REQUIRE(twice.size() == 1);
  CHECK_THAT(twice[0], contains("language of the training text's source side"));
}

TEST_CASE("a validation text is compared with the training text if all of that has one tag",
          "[unit]") {
  const auto source = speech(north, 1000, 1), target = speech(south, 1000, 2);
  const auto other_source = speech(south, 100, 3), other_target = speech(north, 100, 4);
  CHECK(warnings(source, target, other_source, other_target, {"s"}).size() == 1);
  CHECK(warnings(source, target, other_source, other_target, {"s", "e"}).empty());
}

TEST_CASE("a tag of synthetic text is no other language", "[unit]") {
  DataOptions data;
  data.train_source = {"a.src", "synthetic/translations.txt"};
  data.train_target = {"a.tgt", "synthetic/lines.txt"};
  data.valid_source = "v.src";
  data.valid_target = "v.tgt";
  const auto source = speech(north, 1000, 1), target = speech(south, 1000, 2),
             other = speech(south, 100, 3), valid = speech(north, 100, 4);
  const auto found = [&](const std::vector<std::string>& tags,
                         const std::set<std::string>& synthetic) {
    data.source_tag = tags;
    CorpusLanguages languages(data, synthetic);
    Lines all;
    const auto read = [&](std::size_t file, const Lines& sources, const Lines& targets) {
      languages.begin(file);
      for (std::size_t i = 0; i < sources.size(); ++i) languages.add(sources[i], targets[i]);
      for (auto& warning : languages.warnings()) all.push_back(std::move(warning));
    };
    read(0, source, target);
    read(1, other, other);  // as a model of the wrong direction leaves it
    read(2, other, valid);
    return all;
  };
  for (const auto& tags : std::vector<std::vector<std::string>>{{"", "bt"}, {"x", "bt"}}) {
    const auto told = found(tags, {"bt"});
    REQUIRE(told.size() == 2);
    CHECK_THAT(told[0], contains("translations.txt: seems to be in the language of the "
                                 "training text's target side"));
    CHECK_THAT(told[1], contains("v.src and v.tgt: appear to be swapped"));
  }
  CHECK(found({"", "bt"}, {}).empty());
  // With several languages, none is known for the text behind the tag.
  data.train_source.emplace_back("c.src");
  data.train_target.emplace_back("c.tgt");
  CHECK(found({"x", "bt", "y"}, {"bt"}).empty());
}

TEST_CASE("languages of tiny texts are not judged", "[unit]") {
  const auto source = speech(north, 1000, 1), target = speech(south, 1000, 2);
  CHECK(warnings(source, target, speech(south, 5, 3), speech(north, 5, 4)).empty());
  CHECK(warnings(speech(north, 20, 1), speech(south, 20, 2), speech(south, 100, 3),
                 speech(north, 100, 4))
            .empty());
}

TEST_CASE("one language on both sides is never called swapped", "[unit]") {
  CHECK(warnings(speech(north, 1000, 1), speech(north, 1000, 2), speech(north, 100, 3),
                 speech(north, 100, 4))
            .empty());
}

TEST_CASE("real corpora are in their languages, and French is not German", "[slow]") {
  if (!test::have_corpus("multi30k/train.en.gz")) return;
  if (!test::have_corpus("tatoeba-en-fr/valid.fr.gz")) return;
  const auto english = shared_lines("multi30k/train.en.gz"),
             german = shared_lines("multi30k/train.de.gz");
  const auto valid_english = shared_lines("multi30k/val.en.gz"),
             valid_german = shared_lines("multi30k/val.de.gz");
  CHECK(warnings(english, german, valid_english, valid_german).empty());
  CHECK(warnings(english, german, shared_lines("tatoeba-en-de/valid.en.gz"),
                 shared_lines("tatoeba-en-de/valid.de.gz"))
            .empty());
  CHECK(warnings(english, german, valid_german, valid_english).size() == 1);
  CHECK(warnings(english, german, valid_english, shared_lines("multi30k/val.fr.gz")).size() == 1);
  CHECK(warnings(english, german, shared_lines("tatoeba-en-fr/valid.en.gz"),
                 shared_lines("tatoeba-en-fr/valid.fr.gz"))
            .size() == 1);
}

}  // namespace language_profile_test
