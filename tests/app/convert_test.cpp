#include "storage/zip_support.h"
#include "support/catch.h"
#include "support/model_folders.h"
#include "support/program.h"
#include "support/skip.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <utility>

namespace convert_test {

using test::dragoman;

namespace {

/// A run of two seconds, and its model for CTranslate2.
struct Converted {
  test::TemporaryDirectory folder;
  std::string run = (folder / "run").string();
  std::string ct2 = (folder / "ct2").string();

  Converted() {
    test::write_letters(folder / "a.src", folder / "a.tgt");
    REQUIRE(
        dragoman(test::tiny_training((folder / "a.src").string(), (folder / "a.tgt").string(), run))
            .exit_code == 0);
    const auto result = dragoman({"convert", "--to", "ctranslate2", run, "-o", ct2});
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 0);
    CHECK(result.out == ct2 + "\n");
  }

  std::vector<double> scores(const std::string& model) const {
    const auto result = dragoman({"score", "-m", model, "--source", (folder / "a.src").string(),
                                  "--target", (folder / "a.tgt").string()});
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

TEST_CASE("convert reads a model from a zip archive, and sets options of the run", "[e2e]") {
  const Converted converted;
  std::vector<test::ZipEntry> entries;
  for (const auto& file : std::filesystem::directory_iterator(converted.ct2)) {
    std::ifstream in(file.path(), std::ios::binary);
    entries.push_back({.name = "a-model/" + file.path().filename().string(),
                       .content = {std::istreambuf_iterator(in), {}},
                       .method = 8,
                       .deflate = true});
  }
  const auto archive = (converted.folder / "model.zip").string(),
             again = (converted.folder / "again").string();
  std::ofstream(archive, std::ios::binary) << test::zip_of(entries);
  const auto convert = [&](const std::string& setting) {
    return dragoman({"convert", "--from", "auto", archive, "-o", again, "--set", setting});
  };
  const auto wrong = convert("model.d_model=30");
  CHECK(wrong.exit_code != 0);
  CHECK_FALSE(std::filesystem::exists(again));
  const auto result = convert("search.beam_size=3");
  CAPTURE(result.err);
  REQUIRE(result.exit_code == 0);
  CHECK(converted.scores(converted.run) == converted.scores(again));
  std::ifstream config(again + "/config.json");
  CHECK(nlohmann::json::parse(config).at("search").at("beam_size") == 3);
  for (const auto& file : std::filesystem::directory_iterator(converted.folder.path()))
    CHECK(file.path().filename().string().find(".tmp-") == std::string::npos);
}

TEST_CASE("what cannot be converted is told from what could be", "[e2e]") {
  const Converted converted;
  const auto refused = [&](const std::string& from, const std::string& folder) {
    return dragoman({"convert", "--from", from, folder, "-o", (converted.folder / "none").string()})
        .err;
  };
  CHECK_THAT(refused("huggingface", "Helsinki-NLP/opus-mt-en-de"),
             test::contains("nothing is downloaded: put the model's files into a folder"));
  for (const char* from : {"auto", "huggingface", "marian"})
    CHECK_THAT(refused(from, converted.run), test::contains("is a run of this program already"));
}

TEST_CASE("a conversion that cannot write leaves nothing of its output", "[e2e]") {
  const Converted converted;
  const auto out = (converted.folder / "new").string(), marian = (converted.folder / "m").string();
  const auto foreign = test::prenorm_folder().string();
  REQUIRE(dragoman({"convert", "--from", "auto", foreign, "-o", marian}).exit_code == 0);
  for (const auto& direction :
       std::vector<std::vector<std::string>>{{"--to", "ctranslate2", converted.run},
                                             {"--to", "huggingface", converted.run},
                                             {"--to", "marian", marian},
                                             {"--from", "ctranslate2", converted.ct2},
                                             {"--from", "auto", foreign}}) {
    int failures = 0;
    for (int kilobytes = 1, code = 1; code != 0; kilobytes *= 2) {
      REQUIRE(kilobytes < 1 << 20);
      const auto limited = "ulimit -f " + std::to_string(kilobytes) + R"(; exec "$@")";
      const auto result = test::run(test::with(
          {"bash", "-c", limited, "bash", test::program(), "convert", "-o", out}, direction));
      CAPTURE(direction, kilobytes, result.err);
      code = result.exit_code;
      CHECK(std::filesystem::exists(out) == (code == 0));
      if (code == 0) break;
      ++failures;
      CHECK(code == 1);
      CHECK_THAT(result.err, test::contains("File too large"));
    }
    CHECK(failures > 3);
    std::filesystem::remove_all(out);
  }
}

TEST_CASE("convert wants one direction and a folder that is free", "[e2e]") {
  const Converted converted;
  CHECK(dragoman({"convert", converted.run, "-o", converted.ct2}).exit_code == 2);
  CHECK(dragoman({"convert", "--to", "fairseq", converted.run, "-o", "x"}).exit_code == 2);
  const auto taken =
      dragoman({"convert", "--to", "ctranslate2", converted.run, "-o", converted.ct2});
  CHECK(taken.exit_code == 1);
  CHECK(test::contains(converted.ct2).match(taken.err));
  const auto ours = dragoman({"convert", "--from", "auto", converted.run, "-o", "x"});
  CHECK(ours.exit_code == 1);
  CHECK_THAT(ours.err, test::contains("is a run of this program already"));
}

TEST_CASE("convert refuses what it would not use, and numbers for names", "[e2e]") {
  const auto refused = [](const std::vector<std::string>& options, const std::string& message) {
    const auto result = dragoman(test::with({"convert", "run", "-o", "x"}, options));
    CAPTURE(message, result.err);
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.err, test::contains(message));
  };
  refused({"--to", "ctranslate2", "--source", "s", "--reference", "r"},
          "--to ctranslate2 --source: BLEU is measured");
  refused({"--to", "ctranslate2", "--tokenizer", "t"}, "--tokenizer requires --from");
  refused({"--to", "dragoman", "--quantize", "int8", "--source", "s"},
          "give --source and --reference");
  refused({"--from", "ctranslate2", "--quantize", "int8"}, "--quantize requires --to");
  refused({"--from", "ctranslate2", "--checkpoint", "latest"}, "--checkpoint requires --to");
  refused({"--to", "ctranslate2", "--quantize", "2"},
          "--quantize: \"2\" is not one of float32, bf16, float16, int16, int8");
  const auto help = dragoman({"convert", "--help"}).out;
  CHECK_THAT(help, test::contains("--quantize NAME") && !test::contains("->"));
}

TEST_CASE("the ctranslate2 package gives the same log-probabilities", "[e2e]") {
  const char* python = std::getenv("DRAGOMAN_PYTHON");
  if (python == nullptr || test::run({python, "-c", "import ctranslate2"}).exit_code != 0) {
    test::skip("DRAGOMAN_PYTHON names no python3 with the package ctranslate2");
    return;
  }
  const Converted converted;
  const auto script = R"(
import sys, ctranslate2
folder, ct2 = sys.argv[1:]
translator = ctranslate2.Translator(ct2, compute_type="float32")
read = lambda name: [line.split() for line in open(folder + "/" + name, encoding="utf8")]
for score in translator.score_batch(read("a.src.pieces"), read("a.tgt.pieces")):
    print(sum(score.log_probs))
)";
  for (const std::string side : {"a.src", "a.tgt"}) {
    const auto pieces = dragoman({"tokenize", "encode", "-m", converted.run, "-i",
                                  (converted.folder / side).string(), "-o",
                                  (converted.folder / (side + ".pieces")).string()});
    REQUIRE(pieces.exit_code == 0);
  }
  const auto theirs =
      test::run({python, "-c", script, converted.folder.path().string(), converted.ct2});
  CAPTURE(theirs.err);
  REQUIRE(theirs.exit_code == 0);
  std::istringstream lines(theirs.out);
  const std::vector<double> expected{std::istream_iterator<double>(lines), {}};
  const auto ours = converted.scores(converted.run);
  REQUIRE(ours.size() == expected.size());
  for (std::size_t i = 0; i < ours.size(); ++i) CHECK(std::abs(ours[i] - expected[i]) < 1e-4);
}

TEST_CASE("convert saves a run with quantised weights, and what they cost in BLEU", "[e2e]") {
  const Converted converted;
  const auto size_of = [](const std::filesystem::path& run) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(run))
      if (entry.path().filename() == "model.safetensors")
        return std::filesystem::file_size(entry.path());
    return std::uintmax_t{0};
  };
  const auto source = (converted.folder / "a.src").string(),
             target = (converted.folder / "a.tgt").string();
  const auto whole = converted.scores(converted.run);
  for (const auto& [type, distance] : {std::pair{"int8", 0.2}, std::pair{"bf16", 0.05}}) {
    const auto out = (converted.folder / type).string();
    const auto made = dragoman({"convert", "--to", "dragoman", "--quantize", type, converted.run,
                                "-o", out, "--source", source, "--reference", target});
    CAPTURE(made.err);
    REQUIRE(made.exit_code == 0);
    // The names of so small a model's tensors take a third of its file.
    CHECK(static_cast<double>(size_of(converted.run)) > 1.4 * static_cast<double>(size_of(out)));
    const auto scores = converted.scores(out);
    REQUIRE(scores.size() == whole.size());
    for (std::size_t i = 0; i < scores.size(); ++i)
      CHECK(std::abs(scores[i] - whole[i]) < distance * (1.0 + std::abs(whole[i])));
    CHECK(scores != whole);
    const auto info = dragoman({"info", "-m", out});
    CHECK_THAT(info.out, test::contains("bleu_float32"));
    CHECK_THAT(info.out, test::contains("bleu_difference"));
    const auto trained =
        dragoman({"train", "--start-from", out, "-o", out + "-on", "--set", "train.max_steps=1"});
    CAPTURE(trained.err);
    CHECK(trained.exit_code == 0);
  }
  CHECK(dragoman({"convert", "--to", "dragoman", converted.run, "-o", "x", "--source", source,
                  "--reference", target})
            .exit_code == 2);
  CHECK(dragoman({"convert", "--to", "dragoman", "--quantize", "int8", converted.run, "-o", "x"})
            .exit_code == 2);
  const auto foreign =
      dragoman({"convert", "--to", "dragoman", "--quantize", "int16", converted.run, "-o", "x",
                "--source", source, "--reference", target});
  CHECK(foreign.exit_code == 2);
  CHECK_THAT(foreign.err, test::contains("convert --quantize int16: is for --to ctranslate2 only"));
}

}  // namespace convert_test
