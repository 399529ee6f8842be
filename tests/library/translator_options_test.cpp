#include "library/small_translator.h"
#include "support/catch.h"
#include "support/model_folders.h"
#include "support/program.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

// Other options for the same models, and what a model says of itself.
namespace translator_options_test {

using dragoman::OptionsError;
using dragoman::Translator;
using test::contains;
using test::small_translator;
using test::sources;

namespace {

/// Pieces of all hypotheses.
std::vector<std::vector<std::string>> pieces_of(
    const std::vector<dragoman::Translation>& translations) {
  std::vector<std::vector<std::string>> pieces;
  for (const auto& translation : translations)
    for (const auto& hypothesis : translation.n_best) pieces.push_back(hypothesis.pieces);
  return pieces;
}

/// The message of the OptionsError that `work` throws.
template <typename Work>
std::string refusal(const Work& work) {
  try {
    work();
  } catch (const OptionsError& error) {
    return error.what();
  }
  return "not refused";
}

}  // namespace

TEST_CASE("a Translator with other options gives what one that is loaded with them gives",
          "[e2e]") {
  const auto greedy = small_translator({.set = {"search.greedy=true"}});
  for (const std::vector<std::string>& set :
       std::vector<std::vector<std::string>>{{"search.sample=true", "search.n_best=3", "seed=7"},
                                             {"search.sample=true", "search.precision=float32"},
                                             {"search.sample=true", "search.cache=false"},
                                             {}}) {
    CAPTURE(set);
    const dragoman::TranslatorOptions options{.set = set, .workers = 1};
    const auto other = greedy.with(options), loaded = small_translator(options);
    CHECK(other.description() == loaded.description());
    CHECK(pieces_of(other.translate(sources())) == pieces_of(loaded.translate(sources())));
    CHECK(other.score({"a b"}, {"A B"}).front().log_prob ==
          loaded.score({"a b"}, {"A B"}).front().log_prob);
  }
  CHECK(greedy.with({.alignment = true}).translate("a b").n_best.size() == 1);
}

TEST_CASE("a Translator with other options needs no files, and not the one that it is of",
          "[e2e]") {
  const test::TemporaryDirectory folder;
  std::filesystem::copy(test::small_run(), folder / "run",
                        std::filesystem::copy_options::recursive);
  auto translator = Translator::load(folder / "run");
  std::filesystem::remove_all(folder / "run");
  const std::vector<std::string> sampling{"search.sample=true"};
  translator = translator.with({.set = sampling});
  CHECK(pieces_of(translator.translate(sources())) ==
        pieces_of(small_translator({.set = sampling}).translate(sources())));
}

TEST_CASE("other options are refused as those of load are, in the library's words", "[e2e]") {
  const auto translator = small_translator();
  CHECK_THROWS_WITH(translator.with({.checkpoint = "latest"}),
                    contains("checkpoint is \"latest\", but \"\" is loaded"));
  CHECK_THROWS_WITH(translator.with({.device = "cuda"}), contains("device is \"cuda\""));
  CHECK_THROWS_AS(translator.with({.workers = -1}), OptionsError);
  for (const char* wrong : {"search.beam_size=0", "search.n_best=9", "model.num_heads=4",
                            "model.encoder_attention.kind=local", "train.max_steps=4", "beam"}) {
    CAPTURE(wrong);
    const dragoman::TranslatorOptions options{.set = {wrong}};
    const auto message = refusal([&] { translator.with(options); });
    CHECK_THAT(message, contains("TranslatorOptions::set") && !contains("--"));
    CHECK(refusal([&] { small_translator(options); }) == message);
  }
}

TEST_CASE("a model tells its checkpoint, its updates and its longest source", "[e2e]") {
  const auto translator = small_translator({.set = {"data.max_length=5"}});
  const auto info = translator.info();
  CHECK(std::filesystem::exists(info.checkpoint / "model.safetensors"));
  CHECK(info.step == 4);
  CHECK(info.max_source_pieces == 5);
  CHECK(info.source_languages.empty());
  CHECK(info.target_languages.empty());
  const auto pieces = translator.source_pieces("a b c d e f");
  CHECK(pieces.size() > 5);
  CHECK(translator.translate("a b c d e f").cut);
  CHECK(translator.source_pieces("a b") == translator.translate("a b").source_pieces);
  CHECK(translator.source_pieces("").empty());
}

TEST_CASE("a model of many languages tells their codes, and another one is chosen", "[e2e]") {
  const auto model = test::folder_of_family("m2m100");
  const auto golden = test::read_json(model / "golden.json");
  const std::string source = golden.at("source_language"), target = golden.at("target_language");
  const test::TemporaryDirectory folder;
  const auto run = folder / "run";
  const auto converted =
      test::dragoman({"convert", "--from", "huggingface", model.string(), "-o", run.string(),
                      "--source-language", source, "--target-language", target});
  CAPTURE(converted.err);
  REQUIRE(converted.exit_code == 0);
  const auto translator =
      Translator::load(run, {.source_language = source, .target_language = target});
  const auto info = translator.info();
  CHECK(std::ranges::count(info.source_languages, source) == 1);
  CHECK(std::ranges::count(info.target_languages, target) == 1);
  const auto back = translator.with({.source_language = target, .target_language = source});
  CHECK(back.source_pieces("a").front() != translator.source_pieces("a").front());
  CHECK_THROWS_AS(translator.with({.source_language = source, .target_language = "none"}),
                  OptionsError);
}

TEST_CASE("a folder's name with a zero byte is refused with the whole name", "[e2e]") {
  CHECK_THROWS_WITH(Translator::load(std::string("models/en\0de", 12)),
                    contains("models/en\\x00de has a zero byte"));
}

}  // namespace translator_options_test
