#include "support/catch.h"
#include "support/program.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdlib>
#include <iterator>
#include <sstream>

using test::dragoman;

namespace {

/// A run of two seconds, and its model for CTranslate2.
struct Converted {
  test::TemporaryDirectory folder;
  std::string run = (folder / "run").string();
  std::string ct2 = (folder / "ct2").string();

  Converted() {
    test::write_letters(folder / "a.src", folder / "a.tgt");
    REQUIRE(dragoman(test::tiny_training((folder / "a.src").string(), (folder / "a.tgt").string(), run)).exit_code == 0);
    const auto result = dragoman({"convert", "--to", "ctranslate2", run, "-o", ct2});
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 0);
    CHECK(result.out == ct2 + "\n");
  }

  std::vector<double> scores(const std::string& model) const {
    const auto result = dragoman({"score", "-m", model, "--source", (folder / "a.src").string(), "--target",
                                  (folder / "a.tgt").string()});
    REQUIRE(result.exit_code == 0);
    std::istringstream lines(result.out);
    return {std::istream_iterator<double>(lines), {}};
  }
};

}  // namespace

TEST_CASE("convert writes CTranslate2's format and reads it back", "[e2e]") {
  const Converted converted;
  const auto again = (converted.folder / "again").string();
  const auto result = dragoman({"convert", "--from", "ctranslate2", converted.ct2, "-o", again});
  CAPTURE(result.err);
  REQUIRE(result.exit_code == 0);
  const auto scores = converted.scores(converted.run);
  CHECK(scores.size() == 60);
  CHECK(scores == converted.scores(again));
}

TEST_CASE("convert wants one direction and a folder that is free", "[e2e]") {
  const Converted converted;
  CHECK(dragoman({"convert", converted.run, "-o", converted.ct2}).exit_code == 2);
  CHECK(dragoman({"convert", "--to", "marian", converted.run, "-o", "x"}).exit_code == 2);
  const auto taken = dragoman({"convert", "--to", "ctranslate2", converted.run, "-o", converted.ct2});
  CHECK(taken.exit_code == 1);
  CHECK(test::contains(converted.ct2).match(taken.err));
}

TEST_CASE("the ctranslate2 package gives the same log-probabilities", "[e2e]") {
  const char* python = std::getenv("DRAGOMAN_PYTHON");
  if (python == nullptr || test::run({python, "-c", "import ctranslate2"}).exit_code != 0) {
    WARN("skipped: DRAGOMAN_PYTHON names no python3 with the package ctranslate2");
    return;
  }
  const Converted converted;
  const auto script = R"(
import sys, ctranslate2
folder, ct2 = sys.argv[1:]
translator = ctranslate2.Translator(ct2, compute_type="float32")
read = lambda name: [line.split() for line in open(folder + "/" + name, encoding="utf8")]
for score in translator.score_batch(read("a.src.pieces"), read("a.tgt.pieces")): print(sum(score.log_probs))
)";
  for (const std::string side : {"a.src", "a.tgt"}) {
    const auto pieces = dragoman({"tokenize", "encode", "-m", converted.run, "-i", (converted.folder / side).string(),
                                  "-o", (converted.folder / (side + ".pieces")).string()});
    REQUIRE(pieces.exit_code == 0);
  }
  const auto theirs = test::run({python, "-c", script, converted.folder.path().string(), converted.ct2});
  CAPTURE(theirs.err);
  REQUIRE(theirs.exit_code == 0);
  std::istringstream lines(theirs.out);
  const std::vector<double> expected{std::istream_iterator<double>(lines), {}};
  const auto ours = converted.scores(converted.run);
  REQUIRE(ours.size() == expected.size());
  for (std::size_t i = 0; i < ours.size(); ++i) CHECK(std::abs(ours[i] - expected[i]) < 1e-4);
}
