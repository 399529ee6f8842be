#include "support/catch.h"
#include "support/paths.h"
#include "support/process.h"
#include "support/temporary_directory.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace tokenize_test {

using test::contains;

namespace {

test::ProcessResult tokenize(std::vector<std::string> arguments, const std::string& text = "") {
  arguments.insert(arguments.begin(), {test::program(), "tokenize"});
  test::ProcessInput input;
  input.text = text;
  return test::run(arguments, input);
}

std::string content(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A text with few words in many orders, and a model learned from it.
struct Learned {
  test::TemporaryDirectory folder;
  std::string text;
  std::string file = (folder / "text.de").string();
  std::string model = (folder / "my.model").string();

  Learned() {
    const std::vector<std::string> words = {"Haus", "Baum", "grün", "läuft", "schnell", "Katze"};
    for (std::size_t i = 0; i < 120; ++i)
      text += words[i % 6] + ' ' + words[i * i % 5] + ' ' + words[i / 7 % 6] + ".\n";
    std::ofstream(file, std::ios::binary) << text;
    REQUIRE(tokenize({"train", "-i", file, "-o", model, "--vocab-size", "50", "--type", "bpe"})
                .exit_code == 0);
  }
};

}  // namespace

TEST_CASE("text encoded to pieces or ids and decoded is the text", "[e2e]") {
  const Learned learned;
  const auto pieces = tokenize({"encode", "-m", learned.model}, learned.text);
  CHECK(pieces.exit_code == 0);
  CHECK_THAT(pieces.out, contains("\xE2\x96\x81"));
  CHECK(tokenize({"decode", "-m", learned.model}, pieces.out).out == learned.text);
  const auto ids = tokenize({"encode", "--ids", "-m", learned.model}, learned.text);
  CHECK(ids.out.find_first_not_of("0123456789 \n") == std::string::npos);
  CHECK(tokenize({"decode", "--ids", "-m", learned.model}, ids.out).out == learned.text);
  const auto side = tokenize({"encode", "-m", learned.model, "--side", "target"}, learned.text);
  CHECK(side.exit_code == 2);
  CHECK_THAT(side.err, contains("is a single vocabulary, without sides"));
  CHECK(tokenize({"encode", "-m", learned.model + "x", "--side", "target"}, "").exit_code == 1);
}

TEST_CASE("a model changes characters by NFKC, or leaves them as they are", "[e2e]") {
  const Learned learned;
  std::ofstream(learned.file, std::ios::app) << "Haus\xEF\xBC\x8C Baum\n";  // U+FF0C
  const auto written = [&](const std::string& normalization) {
    const auto model = (learned.folder / normalization).string();
    const auto made = tokenize({"train", "-i", learned.file, "-o", model, "--vocab-size", "50",
                                "--type", "bpe", "--normalization", normalization});
    if (made.exit_code != 0) return std::to_string(made.exit_code);
    const auto pieces = tokenize({"encode", "-m", model, "--ids"}, "Haus\xEF\xBC\x8C Baum\n").out;
    return tokenize({"decode", "-m", model, "--ids"}, pieces).out;
  };
  CHECK(written("nfkc") == "Haus, Baum\n");
  CHECK(written("identity") == "Haus\xEF\xBC\x8C Baum\n");
  CHECK(written("nfc") == "2");
}

TEST_CASE("what the vocabulary lacks comes back from pieces as it was", "[e2e]") {
  const Learned learned;
  const std::string text =
      "Haus \xE4\xBD\xA0\xE5\xA5\xBD Baum\n\xE4\xBD\xA0 x\nKatze\xE5\xA5\xBD.\n";
  const auto pieces = tokenize({"encode", "-m", learned.model}, text);
  CHECK(tokenize({"decode", "-m", learned.model}, pieces.out).out == text);
  // As SentencePiece: control pieces are no text, the unknown piece has a mark.
  const auto special = tokenize({"decode", "-m", learned.model}, "<s> <unk> </s>\n");
  CHECK(special.out == " \xE2\x81\x87 \n");
}

TEST_CASE("the kind of a model is chosen by name only", "[e2e]") {
  const Learned learned;
  const auto numbered = tokenize({"train", "-i", learned.file, "-o", "x", "--type", "1"});
  CHECK(numbered.exit_code == 2);
  CHECK_THAT(numbered.err, contains("unigram, bpe"));
  CHECK_THAT(tokenize({"train", "--help"}).out, !contains("->"));
}

TEST_CASE("encoding a file gives what encoding a pipe gives", "[e2e]") {
  const Learned learned;
  const auto out = learned.folder / "out";
  const auto done =
      tokenize({"encode", "-m", learned.model, "-i", learned.file, "-o", out.string()});
  CHECK(done.exit_code == 0);
  CHECK(done.out.empty());
  CHECK(content(out) == tokenize({"encode", "-m", learned.model}, learned.text).out);
}

TEST_CASE("empty lines, bad bytes and a missing last line end keep the number of lines", "[e2e]") {
  const Learned learned;
  const auto done = tokenize({"encode", "-m", learned.model}, "\nHaus\xFF\n\n\xFF Baum");
  CHECK(done.exit_code == 0);
  CHECK(std::count(done.out.begin(), done.out.end(), '\n') == 4);
  CHECK_THAT(done.err, contains("standard input: 2 lines with bytes that are not UTF-8, read as "
                                "U+FFFD (first: line 2)"));
}

TEST_CASE("a vocabulary that the text cannot fill ends with exit code 2 and no file", "[e2e]") {
  const Learned learned;
  const auto model = learned.folder / "large.model";
  const auto done =
      tokenize({"train", "-i", learned.file, "-o", model.string(), "--vocab-size", "9000"});
  CHECK(done.exit_code == 2);
  CHECK_THAT(done.err, contains("text.de") && contains("the largest possible is"));
  CHECK_FALSE(std::filesystem::exists(model));
}

TEST_CASE("what cannot be decoded ends with exit code 1 and leaves the output as it was", "[e2e]") {
  const Learned learned;
  const auto out = learned.folder / "out";
  std::ofstream(out) << "before";
  for (const auto* line : {"1 2 50\n", "x\n", "-1\n"}) {
    const auto done = tokenize({"decode", "--ids", "-m", learned.model, "-o", out.string()}, line);
    CHECK(done.exit_code == 1);
    CHECK_THAT(done.err, contains("standard input: line 1") && contains("0 to 49"));
    CHECK(content(out) == "before");
  }
  const auto folder = learned.folder.path();
  CHECK(std::distance(std::filesystem::directory_iterator(folder), {}) == 3);
}

TEST_CASE("a full disk is said and ends with exit code 1", "[e2e]") {
  const Learned learned;
  const auto done = tokenize({"encode", "-m", learned.model, "-o", "/dev/full"}, learned.text);
  CHECK(done.exit_code == 1);
  CHECK_THAT(done.err, contains("No space left on device"));
}

TEST_CASE("the same text gives the same model", "[e2e]") {
  const Learned learned;
  const auto again = learned.folder / "again.model";
  CHECK(tokenize({"train", "-i", learned.file, "-o", again.string(), "--vocab-size", "50", "--type",
                  "bpe"})
            .exit_code == 0);
  CHECK(content(again) == content(learned.model));
}

}  // namespace tokenize_test
