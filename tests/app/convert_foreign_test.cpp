#include "storage/zip_support.h"
#include "support/catch.h"
#include "support/model_folders.h"
#include "support/program.h"
#include "support/shared.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace convert_foreign_test {

using test::dragoman;
namespace fs = std::filesystem;

namespace {

/// Reads a folder or archive whose program is to be found.
test::ProcessResult read_auto(const fs::path& from, const fs::path& run,
                              const std::vector<std::string>& more = {}) {
  return dragoman(
      test::with({"convert", "--from", "auto", from.string(), "-o", run.string()}, more));
}

/// The languages of a multilingual model, as options.
std::vector<std::string> languages_of(const nlohmann::json& golden) {
  std::vector<std::string> options;
  for (const std::string side : {"source", "target"})
    if (const auto name = golden.value(side + "_language", ""); !name.empty())
      options.insert(options.end(), {"--" + side + "-language", name});
  return options;
}

/// How `generate` was called for the golden answers, as settings.
std::vector<std::string> search_settings(const nlohmann::json& golden) {
  const auto& rules = golden.at("search");
  const auto flag = [](bool value) { return value ? "true" : "false"; };
  return {"search.max_length=" +
              std::to_string(golden.at("max_length").get<std::int64_t>() - 1),  // without the start
          "search.beam_size=" + rules.at("num_beams").dump(),
          "search.length_penalty=" + rules.at("length_penalty").dump(),
          "search.early_stopping=estimate",
          std::string("search.renormalize=") + flag(rules.at("renormalize_logits").get<bool>()),
          std::string("search.force_eos=") + flag(!rules.at("forced_last_id").is_null())};
}

}  // namespace

TEST_CASE("a model of others becomes a run that translates and splits text like one's own",
          "[e2e]") {
  const auto foreign = test::one_vocabulary_folder();
  const test::TemporaryDirectory folder;
  const auto run = (folder / "run").string();
  const auto golden = test::read_json(foreign / "golden.json");
  const auto made = read_auto(foreign, run);
  CAPTURE(made.err);
  REQUIRE(made.exit_code == 0);
  int plain = 0;
  for (const auto& sentence : golden.at("sentences")) {
    const auto text = sentence.at("text").get<std::string>();
    if (sentence.at("kind") != "plain") continue;
    CAPTURE(text);
    ++plain;
    const auto found =
        dragoman(test::with({"translate", "-m", run, "--set"}, search_settings(golden)),
                 {.text = text + "\n"});
    CHECK(found.exit_code == 0);
    const auto& expected_text = sentence.at(test::beam_key(sentence)).at("text");
    CHECK(found.out == expected_text.get<std::string>() + "\n");
    const auto pieces = dragoman({"tokenize", "encode", "-m", run}, {.text = text + "\n"});
    std::string expected;
    for (const auto& piece : sentence.at("pieces"))
      expected += (expected.empty() ? "" : " ") + piece.get<std::string>();
    CHECK(pieces.out == expected + "\n");
  }
  CHECK(plain > 0);
}

TEST_CASE("the kind of each golden folder is found, as a folder and as a zip archive", "[e2e]") {
  const test::TemporaryDirectory place;
  int count = 0;
  for (const auto& model : test::model_folders()) {
    CAPTURE(model.filename().string());
    const auto languages = languages_of(test::read_json(model / "golden.json"));
    const auto number = std::to_string(count++);
    const auto unread = dragoman({"translate", "-m", model.string()});
    CHECK(unread.exit_code == 1);
    CHECK_THAT(unread.err, test::contains("; make a run of it: dragoman convert --from auto"));
    const auto folder = read_auto(model, place / ("folder" + number), languages);
    CAPTURE(folder.err);
    CHECK(folder.exit_code == 0);
    std::vector<test::ZipEntry> files;
    for (const auto& file : fs::directory_iterator(model))
      if (file.is_regular_file() && !file.path().filename().string().starts_with("golden"))
        files.push_back({.name = "model/" + file.path().filename().string(),
                         .content = test::content_of(file.path())});
    const auto archive = place / (number + ".zip");
    std::ofstream(archive, std::ios::binary) << test::zip_of(files);
    const auto unzipped = read_auto(archive, place / ("zip" + number), languages);
    CAPTURE(unzipped.err);
    CHECK(unzipped.exit_code == 0);
  }
  CHECK(count > 0);
}

TEST_CASE("no training starts in the folder of another program's model", "[e2e]") {
  const test::TemporaryDirectory place;
  const auto folder = place / "model";
  fs::copy(test::one_vocabulary_folder(), folder);
  const auto config = test::content_of(folder / "config.json");
  std::ofstream(place / "text") << "a b\nc d\n";
  const auto text = (place / "text").string();
  for (const auto& options : {std::vector<std::string>{}, {"--preset", "tiny"}}) {
    const auto refused = dragoman(test::with(
        {"train", "-o", folder.string(), "--train-source", text, "--train-target", text}, options));
    CHECK(refused.exit_code == 1);
    CHECK_THAT(refused.err, test::contains("a model of Hugging Face; "));
  }
  for (const std::string command : {"average", "report"})
    CHECK_THAT(dragoman({command, "-m", folder.string(), "-o", (place / "made").string()}).err,
               test::contains("is a model of Hugging Face; make a run of it"));
  CHECK(test::content_of(folder / "config.json") == config);
  CHECK_FALSE(fs::exists(folder / "LOCK"));
}

TEST_CASE("the kind of CTranslate2's folders is found", "[e2e]") {
  const test::TemporaryDirectory place;
  int count = 0;
  for (const auto& model : test::model_folders())
    for (const auto& inner : fs::directory_iterator(model)) {
      if (!fs::exists(inner.path() / "model.bin")) continue;
      CAPTURE(inner.path().string());
      CHECK_THAT(dragoman({"info", "-m", inner.path().string()}).err,
                 test::contains("is a model of CTranslate2; make a run of it"));
      const auto made = read_auto(inner.path(), place / std::to_string(count++),
                                  {"--tokenizer", (model / "source.spm").string(),
                                   "--target-tokenizer", (model / "target.spm").string()});
      CAPTURE(made.err);
      CHECK(made.exit_code == 0);
    }
  CHECK(count > 0);
}

TEST_CASE("a folder that tells nothing is refused, and so are languages for Marian", "[e2e]") {
  const test::TemporaryDirectory folder;
  const auto unknown = read_auto(folder.path(), folder / "n");
  CHECK(unknown.exit_code == 1);
  CHECK_THAT(unknown.err, test::contains("model format not recognised"));
  const auto missing = dragoman(
      {"convert", "--from", "auto", (folder / "nowhere").string(), "-o", (folder / "o").string()});
  CHECK(missing.exit_code == 1);
  CHECK_THAT(missing.err, test::contains("nowhere: there is no such file or folder"));
  const auto marian = test::marian_folder_with({".npz"}).string();
  const auto wrong = dragoman({"convert", "--from", "marian", marian, "-o", (folder / "o").string(),
                               "--source-language", "en"});
  CHECK(wrong.exit_code == 2);
}

TEST_CASE("a model of others goes through the commands like one's own", "[e2e]") {
  const auto foreign = test::prenorm_folder();
  const test::TemporaryDirectory folder;
  const auto run = (folder / "run").string(), source = (folder / "source").string(),
             target = (folder / "target").string();
  REQUIRE(read_auto(foreign, run).exit_code == 0);
  std::string sentence, translation;
  std::ofstream sources(source), targets(target);
  int pairs = 0;
  const auto golden = test::read_json(foreign / "golden.json");
  for (const auto& pair : golden.at("forced")) {
    sentence = pair.at("text").get<std::string>();
    translation = pair.at("target").get<std::string>();
    sources << sentence << '\n';
    targets << translation << '\n';
    ++pairs;
  }
  sources.close();
  targets.close();
  REQUIRE(pairs > 0);
  const auto done = [](const std::vector<std::string>& arguments) {
    CAPTURE(arguments);
    auto result = dragoman(arguments);
    CAPTURE(result.err);
    CHECK(result.exit_code == 0);
    return result.out;
  };
  const auto lines = [](const std::string& text) { return std::ranges::count(text, '\n'); };
  const std::vector<std::string> text = {"--source", source, "--reference", target};
  CHECK_THAT(done(test::with({"evaluate", "-m", run}, text)), test::contains("BLEU"));
  CHECK(lines(done({"score", "-m", run, "--source", source, "--target", target})) == pairs);
  const auto maps = nlohmann::json::parse(
      done({"analyze", "attention", "-m", run, sentence, "--target", translation, "-f", "json"}));
  CHECK(maps.at("pictures").size() == 1);
  const auto example = nlohmann::json::parse(done({"explain", "-m", run, sentence, "--json"}));
  CHECK_FALSE(example.at("steps").empty());
  const auto int8 = (folder / "int8").string(), tuned = (folder / "tuned").string(),
             averaged = (folder / "averaged").string(), page = (folder / "page.html").string();
  done(test::with({"convert", "--to", "dragoman", "--quantize", "int8", run, "-o", int8}, text));
  CHECK_THAT(done({"info", "-m", int8}), test::contains("bleu_float32"));
  done({"train", "--start-from", run, "--train-source", source, "--train-target", target, "-o",
        tuned, "--set", "train.max_steps=3", "train.validate_every=0", "train.log_every=1"});
  done({"average", "-m", run, "-m", tuned, "-o", averaged});
  done(test::with({"report", "-m", tuned, "-o", page}, text));
  CHECK_THAT(test::content_of(page), test::contains("<html"));
  for (const auto& each : {run, int8, tuned, averaged})
    CHECK(lines(done({"translate", "-m", each, "-i", source, "--set", "search.max_length=20"})) ==
          pairs);
}

}  // namespace convert_foreign_test
