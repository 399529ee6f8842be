#include "library/small_translator.h"
#include "support/catch.h"
#include "support/model_folders.h"
#include "support/program.h"
#include "support/refusal.h"

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

TEST_CASE("a Translator with other workers scores with the weights that are loaded", "[e2e]") {
  const test::TemporaryDirectory folder;
  std::filesystem::copy(test::small_run(), folder / "run",
                        std::filesystem::copy_options::recursive);
  const std::vector<std::string> int8{"search.precision=int8"};
  const auto translator = Translator::load(folder / "run", {.set = int8, .workers = 2});
  const auto expected = translator.score(sources(), sources());
  std::filesystem::remove_all(folder / "run");
  const auto scores = translator.with({.set = int8, .workers = 1}).score(sources(), sources());
  CHECK(std::ranges::equal(scores, expected, {}, &dragoman::PairScore::log_prob,
                           &dragoman::PairScore::log_prob));
}

TEST_CASE("a Translator tells its options, some of which may be changed", "[e2e]") {
  const auto translator =
      small_translator({.set = {"search.sample=true", "seed=3"}, .workers = 1, .alignment = true});
  auto options = translator.options();
  CHECK(options.set == std::vector<std::string>{"search.sample=true", "seed=3"});
  CHECK(options.alignment);
  options.set.emplace_back("search.n_best=4");
  const auto four = translator.with(options).translate("a b c");
  CHECK(four.n_best.size() == 4);
  CHECK(four.n_best.front().pieces == translator.translate("a b c").n_best.front().pieces);
}

TEST_CASE("Translators of the same models share their threads", "[e2e]") {
  const auto threads = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
  };
  const auto first = small_translator({.set = {"search.precision=int8"}, .workers = 2});
  const auto begin = threads();
  std::vector<Translator> others{first};
  for (const char* size : {"2", "3", "4"})
    others.push_back(first.with(
        {.set = {"search.precision=int8", std::string("search.beam_size=") + size}, .workers = 2}));
  for (const auto& other : others) {
    CHECK(other.translate(sources()).size() == sources().size());
    CHECK(other.score(sources(), sources()).size() == sources().size());
  }
  CHECK(threads() <= begin + 4);
  CHECK(first.with({.set = {"search.precision=int8"}, .workers = 1}).translate({"a"}).size() == 1);
}

TEST_CASE("of the samples of a line the one that agrees best is chosen", "[e2e]") {
  const std::vector<std::string> sampling{"search.sample=true", "search.n_best=8"};
  const auto chosen = small_translator({.set = sampling, .consensus = "chrf"}).translate("a b c d");
  REQUIRE(chosen.n_best.size() == 1);
  CHECK(chosen.utility.value() > 0.0);
  const auto samples = small_translator({.set = sampling}).translate("a b c d");
  CHECK(std::ranges::count(samples.n_best, chosen.text(), &dragoman::Alternative::text) >= 1);
  CHECK(test::refusal([&] { return small_translator({.set = sampling, .consensus = "ter"}); }) ==
        "TranslatorOptions::consensus: \"ter\" is neither \"chrf\" nor \"bleu\"; write one of "
        "them");
  CHECK(test::refusal([] {
          return small_translator({.set = {"search.sample=true"}, .consensus = "bleu"});
        }).ends_with("set it to their number"));
  CHECK(test::refusal([] {
          return small_translator({.set = {"search.n_best=4"}, .consensus = "bleu"});
        }) == "consensus: chooses among samples; set search.sample to true");
}

TEST_CASE("a single line has a context, too", "[e2e]") {
  const auto translator = small_translator({.set = {"search.sample=true"}});
  const auto drawn = [&](std::int64_t line) {
    return translator.translate("a b c d e f", {.first_line = line}).n_best.front().pieces;
  };
  CHECK(drawn(0) == translator.translate("a b c d e f").n_best.front().pieces);
  CHECK(drawn(0) != drawn(1));
  std::stop_source stopped;
  stopped.request_stop();
  CHECK_THROWS_AS(translator.translate("a", {.stop = stopped.get_token()}), dragoman::Cancelled);
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
    const auto message = test::refusal([&] { return translator.with(options); });
    CHECK_THAT(message, contains("TranslatorOptions::set") && !contains("--"));
    CHECK(test::refusal([&] { return small_translator(options); }) == message);
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
