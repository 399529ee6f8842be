#include "support/catch.h"
#include "support/program.h"
#include "support/shared.h"

#include <filesystem>
#include <fstream>

namespace convert_foreign_test {

using test::dragoman;

namespace {

std::string model(const std::string& name) {
  return test::cases("golden/interop_hf/" + name).string();
}

}  // namespace

TEST_CASE("a model of others becomes a run that translates and splits text like one's own",
          "[e2e]") {
  const test::TemporaryDirectory folder;
  const auto run = (folder / "run").string();
  const auto made =
      dragoman({"convert", "--from", "auto", model("marian-shared-swish"), "-o", run});
  CAPTURE(made.err);
  REQUIRE(made.exit_code == 0);
  const auto golden =
      test::read_json(test::cases("golden/interop_hf/marian-shared-swish/golden.json"));
  for (const auto& sentence : golden.at("sentences")) {
    const auto text = sentence.at("text").get<std::string>();
    if (sentence.at("kind") != "plain") continue;
    CAPTURE(text);
    const auto found =
        dragoman({"translate", "-m", run, "--set", "search.max_length=47"}, {.text = text + "\n"});
    CHECK(found.exit_code == 0);
    CHECK(found.out == sentence.at("beam4").at("text").get<std::string>() + "\n");
  }
  const auto pieces = dragoman({"tokenize", "encode", "-m", run}, {.text = "The king\n"});
  CHECK(dragoman({"tokenize", "decode", "-m", run}, {.text = pieces.out}).out == "The king\n");
}

TEST_CASE("the kind of a folder is found, and one that tells nothing is refused", "[e2e]") {
  const test::TemporaryDirectory folder;
  const auto package = dragoman(
      {"convert", "--from", "auto", model("marian-package"), "-o", (folder / "m").string()});
  CAPTURE(package.err);
  CHECK(package.exit_code == 0);
  const auto languages =
      dragoman({"convert", "--from", "auto", model("m2m100"), "-o", (folder / "l").string(),
                "--source-language", "en", "--target-language", "de"});
  CHECK(languages.exit_code == 0);
  const auto unknown = dragoman(
      {"convert", "--from", "auto", folder.path().string(), "-o", (folder / "n").string()});
  CHECK(unknown.exit_code == 1);
  CHECK_THAT(unknown.err, test::contains("is not a known program's model folder"));
  const auto wrong = dragoman({"convert", "--from", "marian", model("marian-package"), "-o",
                               (folder / "o").string(), "--source-language", "en"});
  CHECK(wrong.exit_code == 2);
}

}  // namespace convert_foreign_test
